/// How far a transfer has come.
public struct TransferCount: Sendable, Hashable {
    /// Bytes that are there, those of an earlier run included.
    public var bytes: Int64
    /// Bytes of the whole, where known.
    public var total: Int64?
    /// Bytes that an earlier run had left; 0 for a new transfer.
    public var resumedFrom: Int64

    public init(bytes: Int64, total: Int64? = nil, resumedFrom: Int64 = 0) {
        self.bytes = bytes
        self.total = total
        self.resumedFrom = resumedFrom
    }
}

/// Tells one observer how a transfer goes on: the newest count, never an old one; ends with the transfer.
public final class TransferProgress: Sendable {
    public typealias Updates = AsyncStream<TransferCount>

    /// For one `for await` loop.
    public let updates: Updates
    private let continuation: Updates.Continuation

    public init() {
        (updates, continuation) = Updates.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    public func report(_ count: TransferCount) { continuation.yield(count) }

    /// Ends `updates`. Safe to call more than once.
    public func finish() { continuation.finish() }
}
