import StrataDomain

/// Attaches the credential of an API to requests for its own origins, hop by hop, and renews a refused token once.
///
/// A request that already carries an `Authorization` of its caller passes unchanged.
struct AuthInterceptor: Step {
    let style: AuthStyle
    /// The only origins that ever see the credential.
    let origins: Set<Origin>
    /// Replays after a refresh are counted, so that retries and hedges leave room for them; they are never refused.
    let budget: RetryBudget

    /// A request that was sent with a token.
    struct Sent: Sendable {
        let request: ClientRequest
        let tokens: any TokenProvider
        let token: Secret
        /// Whether the token came in place of a refused one.
        var isReplay = false
        var isRefused = false
        /// Ends the session, from when the head of its last refusal is there; nothing cancels it.
        var ending: Task<Void, Never>?
    }

    /// - Returns: `nil` for a request without a token that could be renewed.
    func begin(_ request: inout ClientRequest) async throws -> Sent? {
        guard origins.contains(request.url.origin) else { return nil }
        switch style {
        case .none: return nil
        case .apiKey(let key, let place):
            request.carry(key, in: place)
            return nil
        case .bearer(let tokens):
            guard request.headers[FieldName.authorization] == nil else { return nil }
            guard let token = try await request.context.token(from: tokens) else {
                throw NetworkError(.unauthorized(nil))
            }
            // A redirect has dropped its caller's own credential: the answer is for somebody else than who asked for it.
            if case .own = request.context.identity {
                request.context.renew(CallIdentity.Credential(secret: token, account: tokens.account(of: token)))
            }
            let sent = Sent(request: request, tokens: tokens, token: token)
            request.carry(bearer: token)
            return sent
        }
    }

    func pass(_ response: inout ClientResponse, _ sent: inout Sent?) -> Bool {
        // Each attempt decides anew: the one before it may have lost its answer on the way.
        let refusal = TokenRefusal(response.head)
        sent?.isRefused = refusal != nil
        guard let refusal, let tokens = sent?.tokens, let request = sent?.request else { return true }
        guard sent?.isReplay == true else { return !request.isReplayable }
        if refusal == .certain, sent?.ending == nil { sent?.ending = Task { await tokens.endSession() } }
        return true
    }

    func end(_ sent: inout Sent?, _ error: (any Error)?) async throws -> ClientRequest? {
        guard let refused = sent, refused.isRefused else {
            if let error { throw error }
            return nil
        }
        let (context, tokens, token) = (refused.request.context, refused.tokens, refused.token)
        if let ending = refused.ending {
            await ending.value
            context.emit(.sessionEnded)
        }
        if let error { throw error }
        guard !refused.isReplay, refused.request.isReplayable else { return nil }
        let fresh = try await refresh(tokens, rejecting: token, for: context)
        // Somebody else may have logged in meanwhile: what they may see is not for whoever asked.
        let (before, now) = (tokens.account(of: token), tokens.account(of: fresh))
        guard before == now else { throw NetworkError(.unauthorized(nil)) }
        context.renew(CallIdentity.Credential(secret: fresh, account: now))
        budget.charge(for: refused.request.url.origin)
        var again = refused.request
        sent = Sent(request: again, tokens: tokens, token: fresh, isReplay: true)
        again.carry(bearer: fresh)
        return again
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
    fileprivate mutating func carry(bearer token: Secret) {
        context.remember(token)
        headers[FieldName.authorization] = "Bearer \(token.reveal())"
    }

    fileprivate mutating func carry(_ key: Secret, in place: AuthStyle.Place) {
        context.remember(key)
        switch place {
        case .header(let name): headers[name] = key.reveal()
        case .query(let name):
            // A redirect may have brought the key along, or an old one.
            let others = (url.query ?? "").split(separator: "&").filter { item in
                PercentEncoding.decode(item.prefix { $0 != "=" }, plusIsSpace: true) != name
            }
            let item = "\(PercentEncoding.encode(name))=\(PercentEncoding.encode(key.reveal()))"
            url.query = (others.map(String.init) + [item]).joined(separator: "&")
        }
    }
}
