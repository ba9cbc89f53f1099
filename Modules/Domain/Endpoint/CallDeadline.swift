/// The total time of one call: queue, attempts, waits and body.
public enum CallDeadline: Sendable, Hashable {
    /// The endpoint's. Where the endpoint states none, the client's for a call that returns a value, and none for a stream.
    case inherited
    /// The client's, for a stream too.
    case client
    /// No total limit. The head of the response must still arrive within the attempt timeout, and the idle timeout ends a
    /// silent connection.
    case none
    /// At most 30 days; a longer time is cut. Zero or less fails without a request.
    case after(Duration)

    /// So many seconds from the start of the call.
    public static func seconds(_ seconds: some BinaryInteger) -> CallDeadline { .after(.seconds(seconds)) }
    /// So many seconds from the start of the call.
    public static func seconds(_ seconds: Double) -> CallDeadline { .after(.seconds(seconds)) }
    /// So many milliseconds from the start of the call.
    public static func milliseconds(_ milliseconds: some BinaryInteger) -> CallDeadline {
        .after(.milliseconds(milliseconds))
    }

    /// The time of `after`; `nil` for the other cases.
    public var duration: Duration? { if case .after(let duration) = self { duration } else { nil } }

    /// This deadline, or `other` where this one is inherited.
    func or(_ other: CallDeadline) -> CallDeadline { self == .inherited ? other : self }
}
