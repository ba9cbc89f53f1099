public import StrataDomain

/// Why a sign-in at an OpenID provider failed. The texts are for the log: they hold no token, no code and no secret.
public enum OpenIDError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The provider cannot be reached, or its answer cannot be used.
    case unavailable(String)
    /// The provider, or a check of its answer, says no.
    case refused(String)

    public var description: String {
        switch self {
        case .unavailable(let reason), .refused(let reason): reason
        }
    }
}

/// A user, as a verified id token names them. Two are the same when issuer and subject are.
public struct OpenIDIdentity: Sendable, Hashable {
    /// `iss`.
    public let issuer: String
    /// `sub`: never given to another user of the issuer.
    public let subject: String
    /// `preferred_username`: a proposal, which the user may choose freely.
    public let preferredName: String?
    /// All claims of the id token, by name.
    public let claims: [String: JSONValue]

    /// An identity; `preferredName` is `nil` without one.
    public init(
        issuer: String, subject: String, preferredName: String? = nil, claims: [String: JSONValue] = [:]
    ) {
        (self.issuer, self.subject) = (issuer, subject)
        (self.preferredName, self.claims) = (preferredName, claims)
    }

    /// A claim that is a text or a list of texts, such as `groups`; empty for any other value.
    public func texts(_ claim: String) -> [String] {
        switch claims[claim] {
        case .string(let text): [text]
        case .array(let values): values.compactMap(\.string)
        default: []
        }
    }

    public static func == (one: OpenIDIdentity, other: OpenIDIdentity) -> Bool {
        one.issuer == other.issuer && one.subject == other.subject
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(issuer)
        hasher.combine(subject)
    }
}
