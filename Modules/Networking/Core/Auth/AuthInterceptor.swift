import StrataDomain

/// Attaches the credential of an API to requests for its own origins, hop by hop, and renews a refused token once.
///
/// A request that already carries an `Authorization` of its caller passes unchanged.
struct AuthInterceptor: Interceptor {
    let style: AuthStyle
    /// The only origins that ever see the credential.
    let origins: Set<Origin>
    /// Replays after a refresh are counted, so that retries and hedges leave room for them; they are never refused.
    let budget: RetryBudget

    func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
        guard origins.contains(request.url.origin) else { return try await next(request, receive) }
        switch style {
        case .none: try await next(request, receive)
        case .apiKey(let key, let place): try await next(request.carrying(key, in: place), receive)
        case .bearer(let tokens):
            guard request.headers[FieldName.authorization] == nil else { return try await next(request, receive) }
            try await send(request, with: tokens, receive: receive, next: next)
        }
    }

    private func send(
        _ request: ClientRequest, with tokens: any TokenProvider, receive: @escaping Receive, next: @escaping Next
    ) async throws {
        guard let token = try await request.context.token(from: tokens) else { throw NetworkError(.unauthorized(nil)) }
        // A redirect has dropped its caller's own credential: the answer is for somebody else than who asked for it.
        if case .own = request.context.identity {
            request.context.renew(CallIdentity.Credential(secret: token, account: tokens.account(of: token)))
        }
        let (isRefused, isReplayable) = (Locked(false), request.isReplayable)
        try await next(request.carrying(bearer: token)) { response in
            // Each attempt decides anew: the one before it may have lost its answer on the way.
            let isRefusal = response.head.status == 401 && isReplayable
            isRefused.value = isRefusal
            guard isRefusal else { return try await receive(response) }
            await response.body.drain()
        }
        guard isRefused.value else { return }
        let fresh = try await refresh(tokens, rejecting: token, for: request.context)
        // Somebody else may have logged in meanwhile: what they may see is not for whoever asked.
        let (before, now) = (tokens.account(of: token), tokens.account(of: fresh))
        guard before == now else { throw NetworkError(.unauthorized(nil)) }
        request.context.renew(CallIdentity.Credential(secret: fresh, account: now))
        budget.charge(for: request.url.origin)
        try await next(request.carrying(bearer: fresh)) { response in
            if response.head.status == 401 {
                await tokens.endSession()
                request.context.emit(.sessionEnded)
            }
            try await receive(response)
        }
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
            throw error
        }
    }
}

extension ClientRequest {
    fileprivate func carrying(bearer token: Secret) -> ClientRequest {
        context.remember(token)
        var request = self
        request.headers[FieldName.authorization] = "Bearer \(token.reveal())"
        return request
    }

    fileprivate func carrying(_ key: Secret, in place: AuthStyle.Place) -> ClientRequest {
        context.remember(key)
        var request = self
        switch place {
        case .header(let name): request.headers[name] = key.reveal()
        case .query(let name):
            // A redirect may have brought the key along, or an old one.
            let others = (request.url.query ?? "").split(separator: "&").filter { item in
                PercentEncoding.decode(item.prefix { $0 != "=" }, plusIsSpace: true) != name
            }
            let item = "\(PercentEncoding.encode(name))=\(PercentEncoding.encode(key.reveal()))"
            request.url.query = (others.map(String.init) + [item]).joined(separator: "&")
        }
        return request
    }
}
