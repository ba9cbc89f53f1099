/// Work that the service does later, beside requests: a value that is stored in the database, and done by one replica at a time.
///
/// ```swift
/// struct SendReceipt: BackgroundJob {
///     static let kind = "send-receipt"
///     var order: Order.ID
///     var key: String? { "order \(order)" }
/// }
/// ```
///
/// `StoreTransaction.enqueue` stores it together with the write that causes it, and a `JobHandler` of the service does it. A job is
/// done at least once: a replica that ends in the middle leaves it to another one. `JobRun.finish` makes an effect in the database
/// happen exactly once.
public protocol BackgroundJob: Codable, Sendable {
    /// Name of the kind in the database, which must never change: 1 to 64 of `a`–`z`, `0`–`9`, `.`, `_` and `-`.
    static var kind: String { get }

    /// Jobs with one key are done one at a time, in the order in which they were enqueued; at most 500 bytes. It is one order for all
    /// kinds. Default: `nil`, side by side in no order.
    var key: String? { get }
}

extension BackgroundJob {
    public var key: String? { nil }
}
