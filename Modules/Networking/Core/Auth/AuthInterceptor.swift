import StrataConcurrency
import StrataDomain

/// Attaches the credential of an API to requests for its own origins, hop by hop, and renews a refused token once.
///
/// A credential in `Authorization` does not replace the caller's own: such a request passes unchanged.
struct AuthInterceptor: Interceptor {
    let style: AuthStyle
    /// The only origins that ever see the credential.
    let origins: Set<Origin>
    /// Counts replays after a refresh, so that retries and hedges leave room for them; it refuses none.
    let budget: RetryBudget

    func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
        guard origins.contains(request.url.origin) else { return try await next(request, receive) }
        switch style {
        // A signer signs further in.
        case .none, .signing: try await next(request, receive)
        case .apiKey(let key, let place):
            if place.isAuthorization {
                guard request.headers[FieldName.authorization] == nil else { return try await next(request, receive) }
                request.context.secrets.takeOver(CallIdentity.Credential(secret: key, account: nil))
            }
            try await next(request.carrying(key, in: place), receive)
        case .bearer(let tokens):
            guard request.headers[FieldName.authorization] == nil else { return try await next(request, receive) }
            try await send(request, with: tokens, receive, next)
        }
    }

    private func send(
        _ request: ClientRequest, with tokens: any TokenProvider, _ receive: @escaping Receive, _ next: @escaping Next
    ) async throws {
        let context = request.context
        guard let token = try await context.token(from: tokens) else { throw NetworkError.withoutSession(tokens) }
        context.secrets.takeOver(CallIdentity.Credential(secret: token, account: tokens.account(of: token)))
        let isRefused = Mutex(false)
        let isReplayable = request.isReplayable
        try await next(request.carrying(bearer: token)) { response in
            let isRefusal = TokenRefusal(response.head) != nil && isReplayable
            isRefused.withLock { $0 = isRefusal }
            guard !isRefusal else { return await response.body.drain() }
            try await receive(response)
        }
        guard isRefused.withLock({ $0 }) else { return }
        let fresh = try await refresh(tokens, rejecting: token, for: context)
        // Another user may have logged in meanwhile.
        let (before, now) = (tokens.account(of: token), tokens.account(of: fresh))
        guard before == now else { throw NetworkError(.unauthorized(nil)) }
        context.secrets.renew(CallIdentity.Credential(secret: fresh, account: now))
        budget.charge(for: request.url.origin)
        try await replay(request.carrying(bearer: fresh), tokens, receive, next)
    }

    /// Sends a request with a renewed token. A second refusal ends the session.
    private func replay(
        _ request: ClientRequest, _ tokens: any TokenProvider, _ receive: @escaping Receive, _ next: @escaping Next
    ) async throws {
        let ending = Mutex<Task<Void, Never>?>(nil)
        var failure: (any Error)?
        do {
            try await next(request) { response in
                if case .certain = TokenRefusal(response.head) {
                    // In a task of its own: the end of a session is not cancelled with the call.
                    ending.withLock { $0 = $0 ?? Task { await tokens.endSession() } }
                }
                try await receive(response)
            }
        } catch { failure = error }
        if let ending = ending.withLock({ $0 }) {
            await ending.value
            request.context.emit(.sessionEnded)
        }
        if let failure { throw failure }
    }

    private func refresh(
        _ tokens: any TokenProvider, rejecting token: Secret, for context: CallContext
    ) async throws -> Secret {
        context.emit(.refreshStarted)
        do {
            let fresh = try await context.withinDeadline { try await tokens.refreshToken(rejecting: token) }
            context.emit(.refreshFinished(failure: nil))
            return fresh
        } catch {
            context.emit(.refreshFinished(failure: context.outcome(of: error)))
            throw (error as? NetworkError)?.ofRefresh ?? error
        }
    }
}

extension NetworkError {
    /// The provider has no session: before a login, and after a logout or the end of the session.
    fileprivate static func withoutSession(_ tokens: any TokenProvider) -> NetworkError {
        var error = NetworkError(.unauthorized(nil))
        error.advice =
            "'\(type(of: tokens))' has no token: begin a session with 'startSession' of 'RefreshingTokenProvider', or with a "
            + "grant of 'OAuth' such as 'authorizationCode' and the same store"
        return error
    }
}

extension CallSecrets {
    /// A request without the caller's own credential: a redirect has dropped it, so the response belongs to `credential` now.
    fileprivate func takeOver(_ credential: CallIdentity.Credential) {
        if case .own = identity { renew(credential) }
    }
}

extension ClientRequest {
    func carrying(bearer token: Secret) -> ClientRequest {
        var request = self
        context.secrets.remember(token)
        request.headers[FieldName.authorization] = "Bearer \(token.reveal())"
        return request
    }

    func carrying(_ key: Secret, in place: AuthStyle.Place) -> ClientRequest {
        var request = self
        context.secrets.remember(key)
        switch place {
        case .header(let name):
            request.headers[name] = key.reveal()
            guard place.isAuthorization else { break }
            // A server may repeat the token or the password alone.
            let field: HeaderFields = [name: key.reveal()]
            for secret in field.credentials() { context.secrets.remember(secret) }
        case .query(let name):
            // A redirect may have brought the key along, or an old one.
            let others = (url.query ?? "").split(separator: "&").filter { item in
                PercentEncoding.decode(item.prefix { $0 != "=" }, plusIsSpace: true) != name
            }
            let item = "\(PercentEncoding.encode(name))=\(PercentEncoding.encode(key.reveal()))"
            request.url.query = (others.map(String.init) + [item]).joined(separator: "&")
        }
        return request
    }
}
