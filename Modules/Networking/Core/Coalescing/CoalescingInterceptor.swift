import Logging
import StrataConcurrency
import StrataDomain

/// Lets equal reads that are under way at the same time share one response.
///
/// Equal are method, URL, header fields and credential, so identities never share. The identity of a call is settled here,
/// for calls that cannot be joined too, so that a cache further in keeps their responses for the right account. The first
/// call sends. When its own deadline or cancellation ends it, a waiting call sends instead. When it gives up because its
/// deadline leaves no time to try again, the waiting call with the latest deadline goes on. Streamed responses are not
/// shared, and neither is any response where an interceptor further in may change the identity: a cache is told not to keep it
/// either.
struct CoalescingInterceptor: Interceptor {
    private let auth: AuthStyle
    private let trusted: Set<Origin>
    private let hasCache: Bool
    /// Bytes of a shared response; a larger one fails.
    private let bodyLimit: Int
    /// The interceptors further in that may change the identity of a call.
    private let unknown: [String]
    private let logger: Logger
    private let hasWarned = Locked(false)
    private let flights = SingleFlight<ReadIdentity, Settlement>()

    /// - Parameters:
    ///   - trusted: Origins that see the credential.
    ///   - hasCache: Whether a cache stands further in.
    ///   - inner: The user's interceptors further in.
    init(
        auth: AuthStyle, trusted: Set<Origin>, hasCache: Bool, inner: [any Interceptor], bodyLimit: Int, logger: Logger
    ) {
        self.auth = auth
        self.trusted = trusted
        self.hasCache = hasCache
        self.bodyLimit = bodyLimit
        self.logger = logger
        unknown = inner.filter { !$0.keepsIdentity }.map { "\(type(of: $0))" }
    }

    /// What a leader met.
    private struct Settlement: Sendable {
        let sender: CallContext
        let result: Result<CollectedResponse, any Error>

        var isFailure: Bool { ((try? result.get())?.head.status ?? 500) >= 400 }
    }

    func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
        let context = request.context
        let mayJoin = request.method.isSafe && request.body == nil && context.mayJoin && !context.receivesOnce
        if mayJoin && unknown.isEmpty || needsIdentity(request.url.origin) {
            // With an `Authorization` of the caller's own, the client's is not sent; a signer signs all the same.
            let isOwn = auth.signer == nil && request.headers[FieldName.authorization] != nil
            context.secrets.identity = isOwn ? .own : try await auth.identity(for: context)
        }
        guard unknown.isEmpty else {
            context.secrets.isIdentityKnown = false
            if mayJoin || hasCache { warn() }
            return try await next(request, receive)
        }
        guard mayJoin else { return try await next(request, receive) }
        let key = ReadIdentity(request: request, credential: context.secrets.identity.secret)
        let deadline = context.deadline
        let turn = try await flights.join(key, rank: deadline.instant, until: deadline.limit) { first in
            context.emit(.joined(requestId: first.request.context.requestId))
        }
        switch turn {
        case .leads: try await lead(key, receive, next)
        case .value(let settlement): try await take(settlement, context, receive)
        case nil: throw NetworkError(.timeout)
        }
    }

    private func warn() {
        let isFirst = hasWarned.withLock { hasWarned in
            defer { hasWarned = true }
            return !hasWarned
        }
        guard isFirst else { return }
        let names = unknown.map { "'\($0)'" }.joined(separator: ", ")
        logger.warning(
            "Responses are neither shared nor cached, because \(names) may change whose request it is. Move it to 'interceptors', or state that it 'keepsIdentity'."
        )
    }

    /// A redirect may lead from any origin to one that sees the credential, so a cache needs the identity of each call.
    private func needsIdentity(_ origin: Origin) -> Bool { !auth.isNone && (hasCache || trusted.contains(origin)) }

    private func lead(_ key: ReadIdentity, _ receive: @escaping Receive, _ next: @escaping Next) async throws {
        // The caller's own request: the key may be that of an equal one.
        let context = key.request.context
        let collected: CollectedResponse
        do {
            collected = try await key.request.result(of: next) { [method = key.request.method, bodyLimit] response in
                try await CollectedResponse(response, to: method, upTo: bodyLimit)
            }
        } catch {
            if Task.isCancelled || context.deadline.hasPassed {
                flights.handOver(key)
            } else {
                settle(key, Settlement(sender: context, result: .failure(error)))
            }
            throw error
        }
        settle(key, Settlement(sender: context, result: .success(collected)))
        try await receive(collected.response)
    }

    private func settle(_ key: ReadIdentity, _ settlement: Settlement) {
        if settlement.isFailure, settlement.sender.history.isShortOfTime {
            flights.handOver(key, failure: (settlement, settlement.sender.deadline.instant))
        } else {
            flights.finish(key, settlement)
        }
    }

    private func take(_ settlement: Settlement, _ context: CallContext, _ receive: Receive) async throws {
        context.secrets.adopt(settlement.sender.secrets)
        switch settlement.result {
        case .success(let collected):
            // The credential may have been renewed on the way.
            context.secrets.identity = settlement.sender.secrets.identity
            context.history.url = settlement.sender.history.url
            try await receive(collected.response)
        case .failure(let error):
            context.history.add(settlement.sender.history.attempts)
            throw error
        }
    }
}
