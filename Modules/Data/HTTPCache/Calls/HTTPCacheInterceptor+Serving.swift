import FoundationEssentials
import StrataCaching
import StrataConcurrency
import StrataDomain
import StrataNetworking

/// Serves stored responses.
extension HTTPCacheInterceptor {
    /// - Returns: `false` when the stored body cannot be read; it is removed then.
    func serve(_ decision: CacheDecision, _ call: CacheCall, isCollapsed: Bool) async throws -> Bool {
        var report = CacheReport(cache: options.name)
        report.isHit = true
        report.isCollapsed = isCollapsed
        switch decision {
        case .fetch: return false
        case .unsatisfiable:
            report.isHit = false
            report.detail = "only-if-cached"
            return try await send(CachedHead.gatewayTimeout, of: nil, call, report)
        case .rangeNotSatisfiable(let response):
            return try await send(CachedHead.notSatisfiable(response), of: response, call, report)
        case .serve(let response, let freshness):
            report.timeToLive = freshness.timeToLive.wholeSeconds
            let head = CachedHead.whole(response, for: call.asked, age: freshness.age)
            return try await send(head, of: response, call, report)
        case .servePart(let response, let place, let freshness):
            report.timeToLive = freshness.timeToLive.wholeSeconds
            let head = CachedHead.part(response, place, age: freshness.age)
            return try await send(head, of: response, call, report)
        case .serveStale(let response, let freshness, let revalidates):
            report.timeToLive = freshness.timeToLive.wholeSeconds
            report.detail = revalidates ? "stale-while-revalidate" : "max-stale"
            let head = CachedHead.whole(response, for: call.asked, age: freshness.age)
            return try await send(head, of: response, call, report) {
                if revalidates { await self.revalidateInBackground(call) }
            }
        }
    }

    /// - Returns: Whether a stale response was served in place of the failure.
    func serveAfterFailure(_ stored: StoredResponse?, _ call: CacheCall, status failed: Int?) async throws -> Bool {
        guard let stored, stored.range == nil, call.request.context.mayKeepAnswer, mayServeAfterFailure(stored, call)
        else { return false }
        let freshness = Freshness(of: stored, now: wallClock.now, rules: options.rules)
        var report = CacheReport(cache: options.name)
        report.isHit = true
        report.forwardStatus = failed
        report.timeToLive = freshness.timeToLive.wholeSeconds
        report.detail = failed == nil ? "origin-unreachable" : "origin-failed"
        return try await send(head(of: stored, for: call, age: freshness.age), of: stored, call, report)
    }

    func mayServeAfterFailure(_ stored: StoredResponse, _ call: CacheCall) -> Bool {
        StaleUse.isAllowed(stored, for: call.asked, because: .failure, now: wallClock.now, rules: options.rules)
    }

    /// The head of the whole response, or of the part that was asked for.
    func head(of stored: StoredResponse, for call: CacheCall, age: Double) -> CachedHead {
        guard stored.range == nil, call.asked.method == "GET" else {
            return CachedHead.whole(stored, for: call.asked, age: age)
        }
        switch PartialContent.cut(stored, for: call.asked) {
        case .whole: return CachedHead.whole(stored, for: call.asked, age: age)
        case .part(let place): return CachedHead.part(stored, place, age: age)
        case .nothing: return CachedHead.notSatisfiable(stored)
        }
    }

    /// - Parameter whenRead: Called once the stored body is read; from then on it may be replaced.
    /// - Returns: `false` when the stored body cannot be read; it is removed then.
    func send(
        _ head: CachedHead, of stored: StoredResponse?, _ call: CacheCall, _ report: CacheReport,
        whenRead: () async -> Void = {}
    ) async throws -> Bool {
        var body = Data()
        if head.hasBody, let stored, stored.length > 0 {
            guard let whole = await store.body(of: stored, for: call.key), whole.count == stored.length else {
                await store.remove([stored.id], for: call.key)
                return false
            }
            body = head.slice.map { Data(whole.dropFirst($0.lowerBound).prefix($0.count)) } ?? whole
        }
        await whenRead()
        var headers = head.fields
        headers.add(CacheReport.fieldName, report.text)
        let reason = head.reason.isEmpty ? nil : head.reason
        let response = ResponseHead(status: head.status, reason: reason, headers: headers)
        try await call.receive(ClientResponse(response, body: ResponseBody(body)))
        return true
    }

    // MARK: - In the background

    private func revalidateInBackground(_ call: CacheCall) async {
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
        guard let key = await flightKey(behind), flights.lead(key) else { return }
        let lead = CacheLead(key, in: flights)
        let isStarted = background.start { [self] in
            defer { lead.end(.unshared) }
            // Another reader may have revalidated it since.
            guard case .serveStale(let response, _, true) = await decide(call) else { return lead.end(.stored) }
            let fetch = CacheDecision.Fetch(
                reason: .stale, stored: response, conditions: Conditions.validating(response))
            // The next reader meets the failure, if it lasts.
            await BackgroundRead.$isCurrent.withValue(true) { try? await self.fetch(fetch, for: behind, lead) }
        }
        if !isStarted { lead.end(.unshared) }
    }
}
