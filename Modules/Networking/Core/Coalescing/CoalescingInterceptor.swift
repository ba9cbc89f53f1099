import StrataDomain
import Synchronization

/// Lets equal reads that are under way at the same time share one answer.
///
/// Equal are method, URL, header fields and credential, so identities never share; the credential that tells a call from
/// others is the one it sends, also when the session changes hands in between. Whoever came first sends. When its own
/// deadline or cancellation ends it, the others elect a new sender; when it gives up because its deadline leaves no time to
/// try again, whoever has the most time goes on. Streamed answers are not shared.
final class CoalescingInterceptor: Interceptor {
    private let identify: @Sendable () async throws -> Secret?
    private let bodyLimit: Int
    private let flights = Mutex<[Key: SharedAnswer]>([:])

    /// - Parameters:
    ///   - bodyLimit: Bytes of a shared answer; a larger one fails, as it would for a caller alone.
    ///   - identify: The credential that the call will carry.
    init(bodyLimit: Int, identify: @escaping @Sendable () async throws -> Secret?) {
        self.bodyLimit = bodyLimit
        self.identify = identify
    }

    private struct Key: Hashable {
        let method: HTTPMethod
        let url: HTTPURL
        let fields: [HeaderFields.Field]
        let identity: Secret?
        /// A sender with less time for an attempt than others would fail them all.
        let attemptTimeout: Duration?

        init(_ request: ClientRequest, identity: Secret?) {
            method = request.method
            url = request.url
            fields = request.headers.filter { !$0.name.equalsIgnoringCase(FieldName.requestId) }
            self.identity = identity
            attemptTimeout = request.context.attemptTimeout
        }
    }

    func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
        let context = request.context
        guard request.method.isSafe, request.body == nil, context.mayJoin, !context.receivesOnce else {
            return try await next(request, receive)
        }
        // With an `Authorization` of the caller's own, which the key holds anyway, the client's credential is not sent.
        let isOwn = request.headers[FieldName.authorization] != nil
        let identity = isOwn ? nil : try await context.withinDeadline(identify)
        context.identity = isOwn ? .open : CallIdentity(identity)
        let key = Key(request, identity: identity)
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
            case .answered(let collected): return try await receive(collected.response)
            case .failed(let error, let attempts):
                context.adopt(attempts)
                throw error
            }
        }
    }

    private func lead(
        _ request: ClientRequest, _ key: Key, _ answer: SharedAnswer, receive: @escaping Receive, next: @escaping Next
    ) async throws {
        let settle: (SharedAnswer.Outcome) -> Void = { outcome in
            self.flights.withLock { flights in flights[key] = answer.settle(outcome) }
        }
        let collected = Locked<CollectedResponse?>(nil)
        do {
            try await next(request) { [bodyLimit] response in
                collected.value = try await CollectedResponse(response, to: request.method, upTo: bodyLimit)
            }
        } catch {
            // What ended this call alone says nothing about the others.
            let isOwn = Task.isCancelled || request.context.deadline.hasPassed
            settle(isOwn ? .abandoned : .failed(error, request.context.attempts))
            throw error
        }
        guard let whole = collected.value else {
            settle(.abandoned)
            throw NetworkError(.unexpected("the pipeline ended without an answer"))
        }
        settle(.answered(whole))
        try await receive(whole.response)
    }
}
