import FoundationEssentials
public import StrataDomain
public import StrataNetworking

/// An HTTP cache in the pipeline (RFC 9111, RFC 5861, RFC 9211).
///
/// Serves from the store where the rules allow it, asks the origin with conditions otherwise, and stores a response while
/// the caller reads it. Calls for the same response at the same time share one request. `Cache-Status` says how each
/// response was obtained. A store that fails counts as empty.
///
/// A private cache is partitioned by principal: the account of a call (`CallContext.owner`, known before the call comes
/// here), the credentials that the caller added, and `principal`. A response that came after the server refused the call's
/// credential is not kept.
public final class HTTPCacheInterceptor: Interceptor {
    /// The principal of a call, besides its credentials; `nil` for an anonymous call, which has a partition of its own.
    public typealias Principal = @Sendable (ClientRequest) async throws -> String?

    let store: any HTTPCacheStore
    let options: HTTPCacheOptions
    let wallClock: any WallClock
    let flights: CacheFlights
    let hitForMiss = HitForMiss()
    let time: MonotonicTime
    private let principal: Principal?
    private let timer: any Clock<Duration>
    private let background: BackgroundWork

    /// - Parameters:
    ///   - principal: Names the principal of a call besides its credentials. In a shared cache a principal means that a
    ///     credential will be sent. Default: the credentials alone count.
    ///   - wallClock: Tells how old a response is.
    ///   - timer: Bounds work in the background, and `drain`.
    public init(
        store: any HTTPCacheStore, options: HTTPCacheOptions = HTTPCacheOptions(),
        wallClock: any WallClock = SystemWallClock(), timer: any Clock<Duration> = ContinuousClock(),
        principal: Principal? = nil
    ) {
        flights = CacheFlights(patience: CacheFlight.Patience(limit: options.readerPatience, clock: timer))
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

    /// Waits until no validation runs in the background.
    ///
    /// - Returns: Whether all ended in time; the others go on.
    @discardableResult
    public func drain(upTo limit: Duration) async -> Bool { await background.drain(upTo: limit, on: timer) }

    /// Has what is stored of `url` validated before its next use: in a shared cache for all, in a private one for
    /// anonymous calls of `principal`.
    public func invalidate(_ url: HTTPURL, principal: String? = nil) async {
        let partition = principal.map { "p:" + $0 } ?? ""
        await invalidate(
            [url.description], like: HTTPCacheKey(principal: isPrivate ? partition : "", url: url.description))
    }

    private var isPrivate: Bool { options.rules.mode == .private }

    public func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
        try await answer(try await call(request, receive: receive, next: next))
    }

    private func call(
        _ request: ClientRequest, receive: @escaping Receive, next: @escaping Next
    ) async throws -> CacheCall {
        let named =
            if let principal {
                try await request.context.withinDeadline { try await principal(request) }
            } else { String?.none }
        let partition = PartitionKey(request, tellsCookiesApart: options.tellsCookiesApart || !isPrivate)
        var policy = HTTPCachePolicy.current ?? options.policy
        if request.body != nil, request.method.isSafe { policy = .noStore }
        let url = request.url.description
        let asked = CacheRequest(
            method: request.method.rawValue, url: url, fields: partition.fields(request.headers),
            isAuthorized: !isPrivate && (named != nil || !partition.isAnonymous), policy: policy)
        let key = HTTPCacheKey(principal: isPrivate ? partition.principal(named) : "", url: url)
        return CacheCall(
            request: request, asked: asked, key: key, tags: HTTPCacheTags.current, receive: receive, next: next)
    }

    // MARK: - Calls

    private func answer(_ call: CacheCall) async throws {
        var mayWait = true
        var isCollapsed = false
        while true {
            let stored = await store.responses(for: call.key)
            let decision = CacheDecision.decide(call.asked, stored: stored, now: wallClock.now, rules: options.rules)
            guard case .fetch(let fetch) = decision else {
                if try await serve(decision, call, isCollapsed: isCollapsed) { return }
                continue  // The entry that could not be read is removed now.
            }
            guard mayWait, let flightKey = call.flight, !hitForMiss.contains(flightKey, at: wallClock.now) else {
                return try await self.fetch(fetch, for: call)
            }
            let (flight, leads) = flights.join(flightKey)
            if leads { return try await lead(call, flightKey, flight) }
            switch try await call.request.context.withinDeadline({ try await flight.wait() }) {
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

    /// Asks the origin for all that wait, unless the store has the response by now.
    private func lead(_ call: CacheCall, _ key: CacheFlights.Key, _ flight: CacheFlight) async throws {
        // Does nothing where the flight is settled already.
        defer { flights.settle(key, flight, .unshared) }
        do {
            if try await mustNotWait(call, key, flight) { flights.settle(key, flight, .unshared) }
            while true {
                let stored = await store.responses(for: call.key)
                let now = wallClock.now
                let decision = CacheDecision.decide(call.asked, stored: stored, now: now, rules: options.rules)
                if case .fetch(let fetch) = decision {
                    return try await self.fetch(fetch, for: call, flight) { self.flights.settle(key, flight, $0) }
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

    /// - Returns: Whether a stale response was served in place of the failure.
    func serveAfterFailure(_ stored: StoredResponse?, _ call: CacheCall, status failed: Int?) async throws -> Bool {
        let now = wallClock.now
        guard let stored, stored.range == nil, call.request.context.mayKeepAnswer,
            StaleUse.isAllowed(stored, for: call.asked, because: .failure, now: now, rules: options.rules)
        else { return false }
        let freshness = Freshness(of: stored, now: now, rules: options.rules)
        let status = CacheStatus(
            cache: options.name, isHit: true, forwardStatus: failed, timeToLive: freshness.timeToLive,
            detail: failed == nil ? "origin-unreachable" : "origin-failed")
        return try await send(head(of: stored, for: call, age: freshness.age), of: stored, call, status)
    }

    /// The head of the whole response, or of the part that was asked for.
    func head(of stored: StoredResponse, for call: CacheCall, age: Double) -> StoredAnswer.Head {
        guard stored.range == nil, stored.status == 200, call.asked.method == "GET",
            let part = ByteRange(call.asked.fields.values("Range")),
            Conditions.allowsRange(call.asked.fields, stored)
        else { return StoredAnswer.whole(stored, for: call.asked, age: age) }
        guard let range = part.bytes(of: stored.length) else { return StoredAnswer.notSatisfiable(stored) }
        guard !range.isEmpty else { return StoredAnswer.whole(stored, for: call.asked, age: age) }
        return StoredAnswer.part(stored, ContentRange(range, total: stored.length), age: age)
    }

    /// - Parameter whenRead: Called once the stored body is read; from then on it may be replaced.
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
        var headers = head.fields
        headers.add(CacheStatus.fieldName, status.text)
        let reason = head.reason.isEmpty ? nil : head.reason
        let response = ResponseHead(status: head.status, reason: reason, headers: headers)
        try await call.receive(ClientResponse(response, body: ResponseBody(body)))
        return true
    }

    // MARK: - In the background

    private func validateBehind(_ call: CacheCall) {
        // The conditions come from the stored response, not from the client.
        var headers = call.request.headers
        for name in Conditions.names { headers[name] = nil }
        let context = call.request.context.behind(deadline: Deadline(in: options.backgroundTimeout, on: time))
        let request = ClientRequest(call.request.method, call.request.url, headers: headers, context: context)
        let asked = CacheRequest(
            method: call.asked.method, url: call.asked.url,
            fields: PartitionKey(request, tellsCookiesApart: true).fields(headers),
            isAuthorized: call.asked.isAuthorized, policy: call.asked.policy)
        let behind = CacheCall(
            request: request, asked: asked, key: call.key, tags: call.tags,
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
            // The next reader meets the failure, if it lasts.
            try? await self.fetch(fetch, for: behind, flight) { self.flights.settle(key, flight, $0) }
        }
        if !isStarted { flights.settle(key, flight, .unshared) }
    }
}
