import StrataDomain

extension AuthStyle {
    var isNone: Bool { if case .none = self { true } else { false } }

    var signer: (any RequestSigner)? { if case .signing(let signer) = self { signer } else { nil } }

    /// The identity of a call that is sent now.
    func identity(for context: CallContext) async throws -> CallIdentity {
        switch self {
        case .none: .none
        case .apiKey(let key, _): .credential(CallIdentity.Credential(secret: key, account: nil))
        case .bearer(let tokens):
            try await context.sessionToken(from: tokens).map { token in
                .credential(CallIdentity.Credential(secret: token, account: tokens.account(of: token)))
            } ?? .none
        case .signing(let signer): .credential(CallIdentity.Credential(signer))
        }
    }
}

extension CallContext {
    /// The token of the call's identity, or the current token of the session.
    func token(from tokens: any TokenProvider) async throws -> Secret? {
        switch secrets.identity {
        case .open, .own: try await sessionToken(from: tokens)
        case .none: nil
        case .credential(let credential): credential.secret
        }
    }

    fileprivate func sessionToken(from tokens: any TokenProvider) async throws -> Secret? {
        if let token = tokens.tokenAtHand { return token }
        do { return try await withinDeadline { try await tokens.currentToken() } } catch let error as NetworkError {
            throw error.ofRefresh
        }
    }
}
