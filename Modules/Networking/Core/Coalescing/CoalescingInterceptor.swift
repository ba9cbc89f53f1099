import StrataConcurrency
import StrataDomain

/// Lets equal reads that are under way at the same time share one answer.
///
/// Equal are method, URL, header fields and credential, so identities never share; the credential that tells a call from
/// others is the one it sends, also when the session changes hands in between: it is settled here, for calls that cannot
/// be joined too, so that a cache below keeps their answers for the right person. Whoever came first sends. When its own
/// deadline or cancellation ends it, the others elect a new sender; when it gives up because its deadline leaves no time to
/// try again, whoever has the most time goes on. Streamed answers are not shared.
final class CoalescingInterceptor: Interceptor {
    typealias Identify = @Sendable () async throws -> CallIdentity.Credential?

    /// `nil` when it has to be waited for.
    typealias IdentityAtHand = @Sendable () -> CallIdentity?

    private let identify: Identify
    private let identityAtHand: IdentityAtHand
    private let settles: @Sendable (HTTPURL) -> Bool
    private let bodyLimit: Int
    private let flights = Mutex<[Key: SharedAnswer]>([:])

    /// - Parameters:
    ///   - bodyLimit: Bytes of a shared answer; a larger one fails, as it would for a caller alone.
    ///   - settles: Whether a call to this URL needs to know in whose name it is sent, although it cannot be joined.
    ///   - identityAtHand: Asked first; what it knows, `identify` is not asked.
    ///   - identify: The credential that the call will carry.
    init(
        bodyLimit: Int, settles: @escaping @Sendable (HTTPURL) -> Bool,
        identityAtHand: @escaping IdentityAtHand = { nil }, identify: @escaping Identify
    ) {
        self.bodyLimit = bodyLimit
        self.settles = settles
        self.identityAtHand = identityAtHand
        self.identify = identify
    }

    /// What tells calls apart that are under way at once.
    private struct Key: Hashable {
        let request: ClientRequest
        let identity: Secret?
        private let hash: Int

        init(_ request: ClientRequest, identity: Secret?) {
            (self.request, self.identity) = (request, identity)
            // Most are told apart by this; the rest is only compared.
            var hasher = Hasher()
            hasher.combine(request.url)
            hasher.combine(identity)
            hash = hasher.finalize()
        }

        /// Without the name of the call, which each has of its own.
        private var fields: some Sequence<HeaderFields.Field> {
            request.headers.fields.lazy.filter { !$0.name.equalsIgnoringCase(FieldName.requestId) }
        }

        static func == (left: Key, right: Key) -> Bool {
            left.hash == right.hash && left.request.method == right.request.method
                && left.request.url == right.request.url && left.identity == right.identity
                // A sender with less time for an attempt than others would fail them all.
                && left.request.context.attemptTimeout == right.request.context.attemptTimeout
                && left.fields.elementsEqual(right.fields)
        }

        func hash(into hasher: inout Hasher) { hasher.combine(hash) }
    }

    func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
        let context = request.context
        let mayJoin = request.method.isSafe && request.body == nil && context.mayJoin && !context.receivesOnce
        if mayJoin || settles(request.url) {
            // With an `Authorization` of the caller's own, which the key holds anyway, the client's is not sent.
            let isOwn = request.headers[FieldName.authorization] != nil
            if isOwn {
                context.identity = .own
            } else if let identity = identityAtHand() {
                context.identity = identity
            } else {
                context.identity = CallIdentity(try await context.withinDeadline(identify))
            }
        }
        guard mayJoin else { return try await next(request, receive) }
        let key = Key(request, identity: context.identity.secret)
        while true {
            let (answer, isFirst) = flights.withLock { flights in
                if let answer = flights[key] { return (answer, false) }
                let answer = SharedAnswer(sender: context)
                flights[key] = answer
                return (answer, true)
            }
            guard !isFirst else { return try await lead(request, key, answer, receive: receive, next: next) }
            let settlement = try await answer.wait(for: context)
            context.adoptSecrets(of: settlement.sender)
            switch settlement.outcome {
            case .abandoned: continue
            case .elected(let successor): return try await lead(request, key, successor, receive: receive, next: next)
            case .answered(let collected):
                // It may have been renewed on the way.
                context.identity = settlement.sender.identity
                return try await receive(collected.response)
            case .failed(let error, let attempts):
                context.adopt(attempts)
                throw error
            }
        }
    }

    private func lead(
        _ request: ClientRequest, _ key: Key, _ answer: SharedAnswer, receive: @escaping Receive, next: @escaping Next
    ) async throws {
        func settle(_ outcome: SharedAnswer.Outcome) {
            flights.withLock { flights in flights[key] = answer.settle(outcome) }
        }
        let collector = ResponseCollector(request.method, upTo: bodyLimit)
        let whole: CollectedResponse
        do {
            try await next(request) { try await collector.receive($0) }
            whole = try collector.whole
        } catch {
            // What ended this call alone says nothing about the others.
            let isOwn = Task.isCancelled || request.context.deadline.hasPassed
            settle(isOwn ? .abandoned : .failed(error, request.context.attempts))
            throw error
        }
        settle(.answered(whole))
        try await receive(whole.response)
    }
}
