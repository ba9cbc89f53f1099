import FoundationEssentials
import StrataDomain
import StrataNetworking

/// Delivers a response of the origin, or a stored one that it confirmed or completed.
extension HTTPCacheInterceptor {
    /// Serves `stored` after a 304.
    ///
    /// - Returns: `false` when its body cannot be read.
    func serveConfirmed(
        _ stored: StoredResponse, _ fields: HeaderFields, at time: Date, _ exchange: OriginExchange
    ) async throws -> Bool {
        let call = exchange.call
        var response = Revalidation.refreshed(
            stored, by: fields, requestTime: exchange.start, responseTime: time, rules: options.rules)
        let refusal = Storability.refusal(
            call.asked, status: response.status, fields: response.fields, at: time, rules: options.rules)
        // The 304 may forbid to store the response; its body is needed once more.
        let isLast = refusal.map { $0 != .noUse } ?? false
        if isLast { response.isInvalidated = true }
        if exchange.fetch.variants.isEmpty {
            await confirm(response, call, exchange.generation)
        } else {
            guard let adopted = await adopt(response, of: stored, exchange) else { return false }
            response = adopted
        }
        exchange.lead?.end(.stored)
        let freshness = Freshness(of: response, now: wallClock.now, rules: options.rules)
        let report = report(exchange, status: 304, freshness)
        let result: Result<Bool, any Error>
        do {
            result = .success(
                try await send(head(of: response, for: call, age: freshness.age), of: response, call, report))
        } catch { result = .failure(error) }
        if isLast { await store.remove([stored.id, response.id], for: call.key) }
        return try result.get()
    }

    /// Serves a stored part joined with its rest.
    ///
    /// - Returns: `false` when they do not make a whole.
    func serveCompleted(_ rest: StoredResponse, _ body: Data, _ exchange: OriginExchange) async throws -> Bool {
        let call = exchange.call
        guard let start = exchange.fetch.stored, let held = await store.body(of: start, for: call.key),
            let whole = PartialContent.combined(start, held, rest, body), whole.response.range == nil
        else { return false }
        exchange.settle(isKept: await keep(whole.response, whole.body, exchange))
        let freshness = Freshness(of: whole.response, now: wallClock.now, rules: options.rules)
        var headers = CachedHead.whole(whole.response, for: call.asked, age: freshness.age).fields
        headers.add(CacheReport.fieldName, report(exchange, status: 206, freshness).text)
        try await call.receive(
            ClientResponse(ResponseHead(status: 200, reason: "OK", headers: headers), body: ResponseBody(whole.body)))
        return true
    }

    private func report(_ exchange: OriginExchange, status: Int, _ freshness: Freshness) -> CacheReport {
        var report = CacheReport(cache: options.name)
        report.forward = exchange.fetch.reason.rawValue
        report.forwardStatus = status
        report.timeToLive = freshness.timeToLive.wholeSeconds
        return report
    }

    /// Delivers a response of the origin and stores it while it is read, if it may be stored.
    func deliver(_ response: ClientResponse, _ exchange: OriginExchange) async throws {
        let (call, now) = (exchange.call, wallClock.now)
        let (status, fields) = (response.head.status, response.head.headers)
        var exchange = exchange
        if !call.asked.isSafe {
            await invalidate(WriteInvalidation.urls(call.asked, status: status, fields: fields), like: call.key)
            // The response is newer than the change that the request made.
            exchange.generation = await generation(call)
        }
        if call.asked.method == "HEAD", status == 200 { await learn(fromHead: fields, exchange, at: now) }

        var head = response.head
        var report = CacheReport(cache: options.name)
        report.forward = exchange.fetch.reason.rawValue
        let declared = Self.declaredLength(fields)
        if let reason = refusal(response.head, declared: declared, call, at: now) {
            report.detail = "not-stored-\(reason)"
            head.headers.add(CacheReport.fieldName, report.text)
            await noteMiss(call, status: status)
            exchange.lead?.end(.unshared)
            await forget(exchange.fetch.stored, after: status, call)
            return try await call.receive(ClientResponse(head, body: response.body))
        }
        report.isStored = true
        head.headers.add(CacheReport.fieldName, report.text)
        let patience = exchange.lead?.isRead(for: options.readerPatience, on: time)
        let body = TeeBody(
            base: response.body, declared: declared, limit: options.entryLimit, patience: patience
        ) { [self, exchange] in await keep($0, of: response.head, exchange, at: now) }
        try await call.receive(ClientResponse(head, body: ResponseBody(body)))
    }

    /// Stores a response of the origin whose body has been read.
    ///
    /// - Parameter bytes: `nil` when the body cannot be stored.
    private func keep(_ bytes: Data?, of head: ResponseHead, _ exchange: OriginExchange, at now: Date) async {
        let place = head.status == 206 ? ContentRange(head.headers.values("Content-Range")) : nil
        guard let bytes, place.map({ $0.range.count == bytes.count }) ?? true else {
            await noteMiss(exchange.call, status: head.status)
            exchange.lead?.end(.unshared)
            return
        }
        let stored = storedResponse(head, exchange, at: now, length: bytes.count, range: place?.range)
        let isKept = await keep(stored, bytes, exchange)
        if isKept { await noteHit(exchange.call) }
        exchange.settle(isKept: isKept)
    }

    /// Why a response is not stored; `nil` if it may be.
    private func refusal(_ head: ResponseHead, declared: Int?, _ call: CacheCall, at now: Date) -> String? {
        // A call that changed its credential on the way keeps nothing.
        guard call.request.context.mayKeepAnswer else { return "identity" }
        let refusal = Storability.refusal(
            call.asked, status: head.status, fields: head.headers, at: now, rules: options.rules)
        if let refusal { return refusal.rawValue }
        let isTooLarge = declared.map { $0 > options.entryLimit } ?? (head.headers["Content-Length"] != nil)
        return isTooLarge ? "size" : nil
    }

    /// `nil` when the head announces no length, or one that cannot be read.
    private static func declaredLength(_ fields: HeaderFields) -> Int? {
        let values = Set(fields.elements("Content-Length"))
        guard values.count == 1 else { return nil }
        return values.first?.decimal()
    }

    func storedResponse(
        _ head: ResponseHead, _ exchange: OriginExchange, at now: Date, length: Int, range: Range<Int>?
    ) -> StoredResponse {
        let asked = exchange.call.asked
        return StoredResponse(
            method: asked.method, status: head.status, reason: head.reason ?? "",
            fields: Storability.stored(head.headers, at: now, rules: options.rules),
            selecting: Vary.selecting(head.headers, request: asked.fields), wasAuthorized: asked.isAuthorized,
            requestTime: exchange.start, responseTime: now, length: length, range: range)
    }
}
