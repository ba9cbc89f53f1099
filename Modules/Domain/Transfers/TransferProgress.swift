/// The progress of a transfer.
public struct TransferCount: Sendable, Hashable {
    /// Bytes transferred, earlier runs included.
    public var bytes: Int64
    /// Bytes of the whole content; `nil` when unknown.
    public var total: Int64?
    /// Bytes of earlier runs; 0 for a new transfer.
    public var resumedFrom: Int64

    /// So many bytes of `total`, which is `nil` when it is not known.
    public init(bytes: Int64, total: Int64? = nil, resumedFrom: Int64 = 0) {
        self.bytes = bytes
        self.total = total
        self.resumedFrom = resumedFrom
    }
}

/// The progress of a transfer for one observer. A slow observer gets the newest value only. It ends with the transfer.
public final class TransferProgress: Sendable {
    /// The counts, as they come; a slow reader gets the last one only.
    public typealias Updates = AsyncStream<TransferCount>

    /// For one `for await` loop.
    public let updates: Updates
    private let continuation: Updates.Continuation

    /// A progress without a reader.
    public init() {
        (updates, continuation) = Updates.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Tells the reader of `updates` how much is done.
    public func report(_ count: TransferCount) { continuation.yield(count) }

    /// Ends `updates`. Safe to call more than once.
    public func finish() { continuation.finish() }
}
