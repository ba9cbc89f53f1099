import FoundationEssentials
import StrataDomain
import StrataNetworking

/// Delivers a response of the origin, or a stored one that it confirmed or completed.
extension HTTPCacheInterceptor {
    func serveConfirmed(
        _ fetch: CacheDecision.Fetch, _ stored: StoredResponse, _ fields: HeaderFields, _ call: CacheCall,
        from start: Date, to time: Date, _ generation: HTTPCacheGeneration, _ settle: Settle
    ) async throws -> Bool {
        var response = Revalidation.refreshed(
            stored, by: fields, requestTime: start, responseTime: time, rules: options.rules)
        let refusal = Storability.refusal(
            call.asked, status: response.status, fields: response.fields, at: time, rules: options.rules)
        // The 304 may forbid to store the response; its body is needed once more.
        let isLast = refusal.map { $0 != .noUse } ?? false
        if isLast { response.isInvalidated = true }
        if fetch.variants.isEmpty {
            await confirm(response, call, generation)
        } else {
            guard let adopted = await adopt(response, of: stored, call, generation) else { return false }
            response = adopted
        }
        settle(.stored)
        let freshness = Freshness(of: response, now: wallClock.now, rules: options.rules)
        let status = CacheStatus(
            cache: options.name, forward: fetch.reason, forwardStatus: 304, timeToLive: freshness.timeToLive)
        let head = head(of: response, for: call, age: freshness.age)
        guard isLast else { return try await send(head, of: response, call, status) }
        do {
            let isSent = try await send(head, of: response, call, status)
            await store.remove([stored.id, response.id], for: call.key)
            return isSent
        } catch {
            await store.remove([stored.id, response.id], for: call.key)
            throw error
        }
    }

    func serveCompleted(
        _ fetch: CacheDecision.Fetch, _ rest: StoredResponse, _ body: Data, _ call: CacheCall,
        _ generation: HTTPCacheGeneration, _ settle: Settle
    ) async throws -> Bool {
        guard let start = fetch.stored, let held = await store.body(of: start, for: call.key),
            let whole = PartialContent.combined(start, held, rest, body), whole.response.range == nil
        else { return false }
        settle(await keep(whole.response, whole.body, call, generation) ? .stored : .abandoned)
        let freshness = Freshness(of: whole.response, now: wallClock.now, rules: options.rules)
        let status = CacheStatus(
            cache: options.name, forward: .partial, forwardStatus: 206, timeToLive: freshness.timeToLive)
        let head = StoredAnswer.whole(whole.response, for: call.asked, age: freshness.age)
        var headers = head.fields
        headers.add(CacheStatus.fieldName, status.text)
        try await call.receive(
            ClientResponse(ResponseHead(status: 200, reason: "OK", headers: headers), body: ResponseBody(whole.body)))
        return true
    }

    func deliver(
        _ response: ClientResponse, _ fetch: CacheDecision.Fetch, _ call: CacheCall, _ flight: CacheFlight?,
        since start: Date, _ generation: HTTPCacheGeneration, settle: @escaping Settle
    ) async throws {
        let status = response.head.status
        let fields = response.head.headers
        let now = wallClock.now
        var generation = generation
        if !call.asked.isSafe {
            await invalidate(WriteInvalidation.urls(call.asked, status: status, fields: fields), like: call.key)
            // The response is newer than the change that the request made.
            generation = await self.generation(call)
        }
        if call.asked.method == "HEAD", status == 200 {
            await learn(fromHead: fields, call, since: start, at: now, generation)
        }

        var head = response.head
        var said = CacheStatus(cache: options.name, forward: fetch.reason)
        let declared = Self.declaredLength(fields)
        let refusal = Storability.refusal(call.asked, status: status, fields: fields, at: now, rules: options.rules)
        let isTooLarge = declared.map { $0 > options.entryLimit } ?? (fields["Content-Length"] != nil)
        // A call that changed its credential on the way keeps nothing.
        let isSettled = call.request.context.mayKeepAnswer
        guard refusal == nil, !isTooLarge, isSettled else {
            let reason = isSettled ? refusal?.rawValue ?? "size" : "identity"
            said.detail = "not-stored-\(reason)"
            head.headers.add(CacheStatus.fieldName, said.text)
            await pass(call, status: status)
            settle(.unshared)
            await forget(fetch.stored, after: status, call)
            return try await call.receive(ClientResponse(head, body: response.body))
        }
        said.isStored = true
        head.headers.add(CacheStatus.fieldName, said.text)
        let place = status == 206 ? ContentRange(fields.values("Content-Range")) : nil
        let reason = response.head.reason ?? ""
        let (current, backpressure) = (generation, Backpressure(time))
        flight?.isRead(backpressure)
        let body = TeeBody(
            base: response.body, declared: declared, limit: options.entryLimit, backpressure: backpressure
        ) { [self] bytes in
            guard let bytes, place.map({ $0.range.count == bytes.count }) ?? true else {
                await pass(call, status: status)
                return settle(.unshared)
            }
            let stored = make(
                status: status, reason: reason, fields, call, since: start, at: now, length: bytes.count,
                range: place?.range)
            let isKept = await keep(stored, bytes, call, current)
            if isKept { await unpass(call) }
            settle(isKept ? .stored : .abandoned)
        }
        try await call.receive(ClientResponse(head, body: ResponseBody(body)))
    }

    /// `nil` when the head announces no length, or one that cannot be read.
    private static func declaredLength(_ fields: HeaderFields) -> Int? {
        let values = Set(fields.elements("Content-Length"))
        guard values.count == 1 else { return nil }
        return values.first?.decimal()
    }

    func make(
        status: Int, reason: String, _ fields: HeaderFields, _ call: CacheCall, since start: Date, at now: Date,
        length: Int, range: Range<Int>?
    ) -> StoredResponse {
        StoredResponse(
            method: call.asked.method, status: status, reason: reason,
            fields: Storability.stored(fields, at: now, rules: options.rules),
            selecting: Vary.selecting(fields, request: call.asked.fields), wasAuthorized: call.asked.isAuthorized,
            requestTime: start, responseTime: now, length: length, range: range)
    }
}
