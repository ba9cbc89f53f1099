/// The response of a job that may not be done yet: 202, or its result (RFC 9110, section 15.3.3).
public enum JobState<Value: Decodable & Sendable>: Decodable, Sendable {
    /// 202. Its body is not decoded.
    case running
    /// Any other success.
    case done(Value)

    public init(from decoder: any Decoder) throws { self = .done(try Value(from: decoder)) }
}

extension JobState: StatusDecodable {
    package static func value(ofStatus status: Int, isEmpty: Bool) -> JobState? {
        if status == 202 { return .running }
        if let nothing = NoContent() as? Value { return .done(nothing) }
        guard isEmpty, let type = Value.self as? any ExpressibleByNilLiteral.Type else { return nil }
        return (type.init(nilLiteral: ()) as? Value).map { .done($0) }
    }
}

/// A response type with values that a status stands for, or the absence of a body.
package protocol StatusDecodable {
    /// - Returns: `nil` where the body has the value.
    static func value(ofStatus status: Int, isEmpty: Bool) -> Self?
}
