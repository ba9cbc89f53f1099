/// Header fields that tell a server about the call behind a request. They go to the base URL's origin and to trusted origins.
public struct CallFields: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `X-Request-Id`: names the call, the same over all its attempts.
    public static let requestId = CallFields(rawValue: 1)
    /// `X-Request-Deadline-Ms`: how long the client waits for this attempt.
    public static let deadline = CallFields(rawValue: 2)
    /// `traceparent` (W3C Trace Context).
    public static let trace = CallFields(rawValue: 4)

    /// What a Strata backend reads.
    public static let all: CallFields = [.requestId, .deadline, .trace]
}
