public import StrataDomain

/// In whose name a call is sent, settled before equal calls are joined so that nothing else is sent in its place.
enum CallIdentity: Sendable {
    /// Not settled: whoever attaches the credential asks for it.
    case open
    /// Nobody was logged in.
    case nobody
    /// The caller's own `Authorization`: the client adds none, unless a redirect to a trusted origin has dropped it.
    case own
    case credential(Credential)

    struct Credential: Sendable, Hashable {
        let secret: Secret
        /// Whose it is, the same for each credential of one account; `nil` when nobody can tell.
        let account: String?
    }

    init(_ credential: Credential?) { self = credential.map(CallIdentity.credential) ?? .nobody }

    var secret: Secret? { if case .credential(let credential) = self { credential.secret } else { nil } }
}

extension CallContext {
    /// The token this call carries: the one that it was told from others by, or else the session's of now.
    func token(from tokens: any TokenProvider) async throws -> Secret? {
        switch identity {
        case .open, .own:
            if let token = tokens.tokenAtHand {
                token
            } else {
                try await withinDeadline { try await tokens.currentToken() }
            }
        case .nobody: nil
        case .credential(let credential): credential.secret
        }
    }

    /// Whose answers this call is given, as a text to compare and to digest: the account of the credential that it sends,
    /// or the credential itself where its account is not known; `nil` when the client adds no credential.
    public var owner: Secret? {
        guard case .credential(let credential) = identity else { return nil }
        return Self.owner(of: credential.secret, account: credential.account)
    }

    /// The owner of calls that carry `credential`.
    public static func owner(of credential: Secret, account: String?) -> Secret {
        account.map { Secret("account \($0)") } ?? Secret("credential \(credential.reveal())")
    }
}
