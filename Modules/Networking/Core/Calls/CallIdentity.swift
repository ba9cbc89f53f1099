public import StrataDomain

/// The credential of a call. It is chosen before equal calls are joined.
enum CallIdentity: Sendable {
    /// Not chosen yet: `AuthInterceptor` asks for the token.
    case open
    /// There was no session.
    case none
    /// The caller's own `Authorization`. The client adds none, unless a redirect to a trusted origin has dropped it.
    case own
    case credential(Credential)

    struct Credential: Sendable, Hashable {
        let secret: Secret
        /// The same for each credential of one account; `nil` when it is not known.
        let account: String?
    }

    var secret: Secret? { if case .credential(let credential) = self { credential.secret } else { nil } }
}

extension CallContext {
    /// The principal of the response: the account of the call's credential, or the credential if its account is not known; `nil`
    /// when the client adds no credential.
    public var owner: Secret? {
        guard case .credential(let credential) = secrets.identity else { return nil }
        return Self.owner(of: credential.secret, account: credential.account)
    }

    /// The principal of calls with `credential`.
    public static func owner(of credential: Secret, account: String?) -> Secret {
        account.map { Secret("account \($0)") } ?? Secret("credential \(credential.reveal())")
    }

    /// Whether a cache may store the response: not after the credential was renewed, nor when the identity is not known.
    public var mayKeepAnswer: Bool { !secrets.isRenewed && isIdentityKnown }

    /// Whether coalescing and cache know the identity that the call is sent with: not when an interceptor further in may
    /// change it.
    public var isIdentityKnown: Bool { secrets.isIdentityKnown }
}
