import Crypto
import FoundationEssentials
public import StrataDomain
public import StrataNetworking

/// An HTTP cache in the pipeline (RFC 9111, RFC 5861, RFC 9211).
///
/// Answers from the store where the rules allow, asks the origin with conditions where it must, and keeps what may be kept
/// while the caller reads it. One request for a miss and one validation for a stale answer, however many ask at once. What
/// it answers or passes on says so in `Cache-Status`. A store that fails is a cache without entries.
public final class HTTPCacheInterceptor: Interceptor {
    /// Whose answers a call may be given; `nil` for nobody in particular, which is a person of its own.
    public typealias Principal = @Sendable (ClientRequest) async throws -> String?

    let store: any HTTPCacheStore
    let options: HTTPCacheOptions
    let wallClock: any WallClock
    let flights = CacheFlights()
    let reads = ReadsUnderWay()
    private let principal: Principal
    private let time: MonotonicTime
    private let timer: any Clock<Duration>
    private let background: BackgroundWork

    /// - Parameters:
    ///   - principal: Asked for every call. In a private cache answers are shared within one principal only; in a shared
    ///     one a principal means that a credential will be sent. Default nobody.
    ///   - wallClock: Tells how old an answer is.
    ///   - timer: Bounds work behind answers, and `drain`.
    public init(
        store: any HTTPCacheStore, options: HTTPCacheOptions = HTTPCacheOptions(),
        wallClock: any WallClock = SystemWallClock(), timer: any Clock<Duration> = ContinuousClock(),
        principal: @escaping Principal = { _ in nil }
    ) {
        self.store = store
        self.options = options
        self.wallClock = wallClock
        self.timer = timer
        self.principal = principal
        time = Self.time(timer)
        background = BackgroundWork(limit: options.backgroundLimit)
    }

    private static func time<C: Clock>(_ clock: C) -> MonotonicTime where C.Duration == Duration {
        MonotonicTime(clock)
    }

    /// Waits for validations behind answers that were given already.
    ///
    /// - Returns: Whether all were done in time; those that were not go on.
    @discardableResult
    public func drain(upTo limit: Duration) async -> Bool { await background.drain(upTo: limit, on: timer) }

    /// Has what is kept of `url` for `principal` validated before its next use.
    public func invalidate(_ url: HTTPURL, principal: String? = nil) async {
        let request = CacheRequest(url: url.description)
        await invalidate([url.description], like: key(of: request, principal))
    }

    public func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
        let principal = try await principal(request)
        var policy = HTTPCachePolicy.current ?? options.policy
        if request.body != nil, request.method.isSafe { policy = .noStore }
        let asked = CacheRequest(
            method: request.method.rawValue, url: request.url.description, fields: FieldList(request.headers),
            isAuthorized: options.rules.mode == .shared && principal != nil, policy: policy)
        let call = CacheCall(
            request: request, asked: asked, key: key(of: asked, principal), receive: receive, next: next)
        try await answer(call)
    }

    func key(of asked: CacheRequest, _ principal: String?) -> HTTPCacheKey {
        guard options.rules.mode == .private else { return HTTPCacheKey(principal: "", url: asked.url) }
        var owner = principal.map { "p:" + $0 } ?? ""
        // A credential of the caller's own stands for a person too; the key holds its digest.
        if let own = asked.fields.value("Authorization") {
            let digest = SHA256.hash(data: Data(own.utf8)).map {
                String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)
            }
            owner += "\u{1F}a:" + digest.joined()
        }
        return HTTPCacheKey(principal: owner, url: asked.url)
    }

    // MARK: - Answering

    private func answer(_ call: CacheCall) async throws {
        var mayWait = true
        var isCollapsed = false
        while true {
            let stored = await store.responses(for: call.key)
            let decision = CacheDecision.decide(call.asked, stored: stored, now: wallClock.now, rules: options.rules)
            guard case .fetch(let fetch) = decision else {
                if try await serve(decision, call, isCollapsed: isCollapsed) { return }
                continue  // What could not be read is gone now.
            }
            guard mayWait, let flightKey = call.flight else { return try await self.fetch(fetch, for: call) }
            let (flight, leads) = flights.join(flightKey)
            if leads { return try await lead(call, flightKey, flight) }
            switch try await flight.wait() {
            case .abandoned: continue
            case .stored: (mayWait, isCollapsed) = (false, true)
            case .unshared: mayWait = false
            case .failed(let error):
                if try await serveAfterFailure(fetch.stored, call, status: nil) { return }
                if let error { throw error }
                mayWait = false
            }
        }
    }

    /// Asks for all that wait, unless the store has the answer by now.
    private func lead(_ call: CacheCall, _ key: CacheFlights.Key, _ flight: CacheFlight) async throws {
        // Settled already where there was an answer to share.
        defer { flights.settle(key, flight, .unshared) }
        do {
            while true {
                let stored = await store.responses(for: call.key)
                let now = wallClock.now
                let decision = CacheDecision.decide(call.asked, stored: stored, now: now, rules: options.rules)
                if case .fetch(let fetch) = decision {
                    return try await self.fetch(fetch, for: call) { self.flights.settle(key, flight, $0) }
                }
                flights.settle(key, flight, .stored)
                if try await serve(decision, call, isCollapsed: false) { return }
            }
        } catch {
            flights.settle(key, flight, .abandoned)
            throw error
        }
    }

    /// - Returns: `false` when the stored body cannot be read; it is removed then.
    private func serve(_ decision: CacheDecision, _ call: CacheCall, isCollapsed: Bool) async throws -> Bool {
        var status = CacheStatus(cache: options.name, isHit: true, isCollapsed: isCollapsed)
        switch decision {
        case .fetch: return false
        case .unsatisfiable:
            status.isHit = false
            status.forward = nil
            status.detail = "only-if-cached"
            return try await send(StoredAnswer.gatewayTimeout, of: nil, call, status)
        case .rangeNotSatisfiable(let response):
            return try await send(StoredAnswer.notSatisfiable(response), of: response, call, status)
        case .serve(let response, let freshness):
            status.timeToLive = freshness.timeToLive
            let head = StoredAnswer.whole(response, for: call.asked, age: freshness.age)
            return try await send(head, of: response, call, status)
        case .servePart(let response, let place, let freshness):
            status.timeToLive = freshness.timeToLive
            return try await send(
                StoredAnswer.part(response, place, age: freshness.age), of: response, call, status)
        case .serveStale(let response, let freshness, let revalidatesBehind):
            status.timeToLive = freshness.timeToLive
            status.detail = revalidatesBehind ? "stale-while-revalidate" : "max-stale"
            let head = StoredAnswer.whole(response, for: call.asked, age: freshness.age)
            return try await send(head, of: response, call, status) {
                if revalidatesBehind { self.validateBehind(call) }
            }
        }
    }

    /// - Returns: Whether there is a stored answer that may be served although the origin failed.
    func serveAfterFailure(_ stored: StoredResponse?, _ call: CacheCall, status failed: Int?) async throws -> Bool {
        let now = wallClock.now
        guard let stored, stored.range == nil,
            StaleUse.isAllowed(stored, for: call.asked, because: .failure, now: now, rules: options.rules)
        else { return false }
        let freshness = Freshness(of: stored, now: now, rules: options.rules)
        let status = CacheStatus(
            cache: options.name, isHit: true, forwardStatus: failed, timeToLive: freshness.timeToLive,
            detail: failed == nil ? "origin-unreachable" : "origin-failed")
        return try await send(head(of: stored, for: call, age: freshness.age), of: stored, call, status)
    }

    /// The whole or the part that was asked for.
    func head(of stored: StoredResponse, for call: CacheCall, age: Double) -> StoredAnswer.Head {
        guard stored.range == nil, stored.status == 200, call.asked.method == "GET",
            let part = ByteRange(call.asked.fields), Conditions.allowsRange(call.asked.fields, stored)
        else { return StoredAnswer.whole(stored, for: call.asked, age: age) }
        guard let range = part.range(in: stored.length) else { return StoredAnswer.notSatisfiable(stored) }
        return StoredAnswer.part(stored, ContentRange(range, total: stored.length), age: age)
    }

    /// - Parameter whenRead: Called when the stored body is in hand: what follows may replace it.
    /// - Returns: `false` when the stored body cannot be read; it is removed then.
    func send(
        _ head: StoredAnswer.Head, of stored: StoredResponse?, _ call: CacheCall, _ status: CacheStatus,
        whenRead: () -> Void = {}
    ) async throws -> Bool {
        var body = Data()
        if head.hasBody, let stored, stored.length > 0 {
            guard let whole = await store.body(of: stored, for: call.key), whole.count == stored.length else {
                await store.remove([stored.id], for: call.key)
                return false
            }
            body = head.slice.map { Data(whole.dropFirst($0.lowerBound).prefix($0.count)) } ?? whole
        }
        whenRead()
        var headers = head.fields.headers
        headers.add(CacheStatus.fieldName, status.text)
        let reason = head.reason.isEmpty ? nil : head.reason
        let response = ResponseHead(status: head.status, reason: reason, headers: headers)
        try await call.receive(ClientResponse(response, body: ResponseBody(body)))
        return true
    }

    // MARK: - Behind an answer

    private func validateBehind(_ call: CacheCall) {
        // Without the client's conditions: what is validated is what is stored.
        var headers = call.request.headers
        for name in Conditions.names { headers[name] = nil }
        let context = call.request.context.behind(deadline: Deadline(in: options.backgroundTimeout, on: time))
        let request = ClientRequest(call.request.method, call.request.url, headers: headers, context: context)
        let asked = CacheRequest(
            method: call.asked.method, url: call.asked.url, fields: FieldList(headers),
            isAuthorized: call.asked.isAuthorized, policy: call.asked.policy)
        let behind = CacheCall(
            request: request, asked: asked, key: call.key,
            receive: { response in for try await _ in response.body {} }, next: call.next)
        guard let key = behind.flight else { return }
        let (flight, leads) = flights.join(key)
        guard leads else { return }
        let isStarted = background.start { [self] in
            defer { flights.settle(key, flight, .unshared) }
            let stored = await store.responses(for: call.key)
            let now = wallClock.now
            // Another reader may have validated it since.
            guard
                case .serveStale(let response, _, true) = CacheDecision.decide(
                    call.asked, stored: stored, now: now, rules: options.rules)
            else { return flights.settle(key, flight, .stored) }
            let fetch = CacheDecision.Fetch(
                reason: .stale, stored: response, conditions: Conditions.validating(response))
            // Nobody waits for an error: the next reader meets it.
            try? await self.fetch(fetch, for: behind) { self.flights.settle(key, flight, $0) }
        }
        if !isStarted { flights.settle(key, flight, .unshared) }
    }
}
