public import StrataDomain

extension OAuth {
    /// The tokens of the program itself, without a user (RFC 6749, section 4.4): asked for with the first call, and again before
    /// they expire or when an API refuses one. There is no login and no session that could end.
    ///
    /// - Parameters:
    ///   - scope: The rights to ask for, with a space between two. Default: what the server gives without one.
    ///   - store: Shares the tokens with other processes; it has no other session. Default: the memory of this process.
    ///   - parameters: Further fields of the request, such as `audience` or `resource`.
    public func clientCredentials(
        scope: String? = nil, store: any TokenStore = InMemoryTokenStore(), parameters: [String: String] = [:]
    ) -> RefreshingTokenProvider {
        provider(store, ClientCredentials(token: token, scope: scope, parameters: parameters))
    }
}

/// Asks for tokens with the credentials of the client; a refresh token, which no server should send, is not used.
private struct ClientCredentials: TokenRefresher {
    let token: TokenEndpoint
    let scope: String?
    let parameters: [String: String]

    func refresh(_ refresh: Secret) async throws(NetworkError) -> SessionTokens { try await tokens() }

    var issue: IssueTokens? { { () async throws(NetworkError) in try await tokens() } }

    private func tokens() async throws(NetworkError) -> SessionTokens {
        var grant = [("grant_type", "client_credentials")]
        if let scope { grant.append(("scope", scope)) }
        var tokens = try await token.tokens(for: try FormText.joined(grant, parameters), secrets: [], canRepeat: true)
        tokens.refresh = nil
        return tokens
    }
}
