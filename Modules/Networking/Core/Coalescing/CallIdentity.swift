import StrataDomain

/// In whose name a call is sent, settled before equal calls are joined so that nothing else is sent in its place.
enum CallIdentity: Sendable {
    /// Not settled: whoever attaches the credential asks for it.
    case open
    /// Nobody was logged in.
    case nobody
    case credential(Secret)

    init(_ credential: Secret?) { self = credential.map(CallIdentity.credential) ?? .nobody }
}

extension CallContext {
    /// The token this call carries: the one that it was told from others by, or else the session's of now.
    func token(from tokens: any TokenProvider) async throws -> Secret? {
        switch identity {
        case .open: try await withinDeadline { try await tokens.currentToken() }
        case .nobody: nil
        case .credential(let token): token
        }
    }
}
