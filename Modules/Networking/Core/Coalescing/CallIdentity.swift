public import StrataDomain

/// Whose credential a call is sent with. It is settled before equal calls are joined, so that no other one is sent.
enum CallIdentity: Sendable {
    /// Not settled: the interceptor that attaches the credential asks for it.
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

extension AuthStyle {
    var isNone: Bool { if case .none = self { true } else { false } }

    /// The identity of a call that is sent now.
    func identity(for context: CallContext) async throws -> CallIdentity {
        switch self {
        case .none: .none
        case .apiKey(let key, _): .credential(CallIdentity.Credential(secret: key, account: nil))
        case .bearer(let tokens):
            try await context.sessionToken(from: tokens).map { token in
                .credential(CallIdentity.Credential(secret: token, account: tokens.account(of: token)))
            } ?? .none
        }
    }
}

extension CallContext {
    /// The token that this call carries: that of its identity, else the session's of now.
    func token(from tokens: any TokenProvider) async throws -> Secret? {
        switch secrets.identity {
        case .open, .own: try await sessionToken(from: tokens)
        case .none: nil
        case .credential(let credential): credential.secret
        }
    }

    fileprivate func sessionToken(from tokens: any TokenProvider) async throws -> Secret? {
        if let token = tokens.tokenAtHand { return token }
        return try await withinDeadline { try await tokens.currentToken() }
    }

    /// Whom the response belongs to, as a text to compare and to digest: the account of the call's credential, or the
    /// credential itself where its account is not known; `nil` when the client adds no credential.
    public var owner: Secret? {
        guard case .credential(let credential) = secrets.identity else { return nil }
        return Self.owner(of: credential.secret, account: credential.account)
    }

    /// The owner of calls that carry `credential`.
    public static func owner(of credential: Secret, account: String?) -> Secret {
        account.map { Secret("account \($0)") } ?? Secret("credential \(credential.reveal())")
    }

    /// Whether a cache may keep the response: not after the call went on with another credential than the one it began with.
    public var mayKeepAnswer: Bool { !secrets.isRenewed }
}
