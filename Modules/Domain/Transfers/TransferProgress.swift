/// The progress of a transfer.
public struct TransferCount: Sendable, Hashable {
    /// Bytes transferred, earlier runs included.
    public var bytes: Int64
    /// Bytes of the whole content; `nil` when unknown.
    public var total: Int64?
    /// Bytes of earlier runs; 0 for a new transfer.
    public var resumedFrom: Int64

    public init(bytes: Int64, total: Int64? = nil, resumedFrom: Int64 = 0) {
        self.bytes = bytes
        self.total = total
        self.resumedFrom = resumedFrom
    }
}

/// The progress of a transfer for one observer. A slow observer gets the newest value only. It ends with the transfer.
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
