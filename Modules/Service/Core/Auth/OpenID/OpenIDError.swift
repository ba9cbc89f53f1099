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

/// A user, as a verified id token names them.
public struct OpenIDIdentity: Sendable, Hashable {
    /// `iss`.
    public let issuer: String
    /// `sub`: never given to another user of the issuer.
    public let subject: String
    /// `preferred_username`: a proposal, which the user may choose freely.
    public let preferredName: String?

    /// An identity; `preferredName` is `nil` without one.
    public init(issuer: String, subject: String, preferredName: String? = nil) {
        (self.issuer, self.subject, self.preferredName) = (issuer, subject, preferredName)
    }
}
