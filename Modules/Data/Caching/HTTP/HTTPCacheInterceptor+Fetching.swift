import FoundationEssentials
import StrataDomain
import StrataNetworking
import Synchronization

/// Asking the origin, and what its answer means for the store.
extension HTTPCacheInterceptor {
    typealias Settle = @Sendable (CacheFlights.Outcome) -> Void

    /// What became of one request to the origin.
    private enum Result: Sendable {
        case none
        /// The receiver has been given the answer, or a part of it.
        case delivered
        case notModified(StoredResponse, FieldList, at: Date)
        /// A failure in whose place something stale may be served.
        case failed(Int)
        /// The rest of a stored beginning.
        case rest(StoredResponse, Data)
        /// An answer to a question that was not the client's.
        case unusable
    }

    /// What was true when an answer was asked for, so that it is not stored over what has changed since.
    struct Beginning: Sendable {
        let ticket: ReadsUnderWay.Ticket
        let mark: EpochFile.Mark?
    }

    private func begin(_ call: CacheCall) async -> Beginning {
        let ticket = reads.begin(call.asked.url)
        return Beginning(ticket: ticket, mark: await epochs?.mark(of: call.scopes))
    }

    func fetch(
        _ fetch: CacheDecision.Fetch, for call: CacheCall, _ flight: CacheFlight? = nil,
        settle: @escaping Settle = { _ in }
    ) async throws {
        let beginning = await begin(call)
        defer { reads.end(beginning.ticket) }
        let start = wallClock.now
        let result = Mutex<Result>(.none)
        do {
            try await call.next(call.outgoing(fetch.conditions)) { [self] response in
                if let answer = try await judge(response, fetch, call, since: start) {
                    return result.withLock { $0 = answer }
                }
                result.withLock { $0 = .delivered }
                try await deliver(response, fetch, call, flight, since: start, beginning, settle: settle)
            }
        } catch {
            let isDelivered = result.withLock { if case .delivered = $0 { true } else { false } }
            guard !isDelivered, !Task.isCancelled, Self.isUnreachable(error) else {
                settle(.abandoned)
                throw error
            }
            settle(.failed(error))
            guard try await serveAfterFailure(fetch.stored, call, status: nil) else { throw error }
            return
        }
        switch result.withLock({ $0 }) {
        case .none, .delivered: return
        case .failed(let status):
            settle(.failed(nil))
            if try await serveAfterFailure(fetch.stored, call, status: status) { return }
        case .notModified(let stored, let fields, let time):
            if try await serveConfirmed(fetch, stored, fields, call, from: start, to: time, beginning, settle) {
                return
            }
        case .rest(let response, let body):
            if try await serveCompleted(fetch, response, body, call, beginning, settle) { return }
        case .unusable: break
        }
        // The stored body is gone, or the answer is not about it: ask as if nothing were stored.
        let plain = CacheDecision.Fetch(reason: fetch.reason)
        try await self.fetch(plain, for: call, flight, settle: settle)
    }

    /// The origin is away, as far as anybody here can tell.
    static func isUnreachable(_ error: any Error) -> Bool {
        switch (error as? NetworkError)?.kind {
        case .offline, .connectionLost, .timeout, .circuitOpen: true
        default: false
        }
    }

    /// Statuses that stand for an origin that fails (RFC 5861, section 4).
    private static let failures: Set<Int> = [500, 502, 503, 504]

    /// - Returns: What to do once the connection is given back; `nil` to deliver the response.
    private func judge(
        _ response: ClientResponse, _ fetch: CacheDecision.Fetch, _ call: CacheCall, since start: Date
    ) async throws -> Result? {
        let status = response.head.status
        let fields = FieldList(response.head.headers)
        let now = wallClock.now
        // Asked for with another credential than the stored answer: what it says is not about that.
        guard call.request.context.mayKeepAnswer else {
            guard status == 304 || fetch.completes, !fetch.conditions.isEmpty else { return nil }
            await response.body.drain()
            return .unusable
        }
        if Self.failures.contains(status), let stored = fetch.stored, stored.range == nil,
            StaleUse.isAllowed(stored, for: call.asked, because: .failure, now: now, rules: options.rules)
        {
            await response.body.drain()
            return .failed(status)
        }
        if status == 304, !fetch.variants.isEmpty {
            await response.body.drain()
            let chosen = fetch.variants.first { Revalidation.chooses($0, fields) }
            return chosen.map { .notModified($0, fields, at: now) } ?? .unusable
        }
        guard !fetch.conditions.isEmpty, let stored = fetch.stored else { return nil }
        if fetch.completes {
            guard status == 206 || status == 416 || status == 304 else { return nil }
            guard status == 206, let place = ContentRange(fields), PartialContent.belongTogether(stored.fields, fields),
                place.range.upperBound == place.total, place.range.lowerBound == stored.range?.upperBound,
                stored.length + place.range.count <= options.entryLimit
            else {
                await response.body.drain()
                return .unusable
            }
            let body = try await response.body.collect(upTo: place.range.count)
            guard body.count == place.range.count else { return .unusable }
            let part = make(
                status: 206, reason: "", fields, call, since: start, at: now, length: body.count, range: place.range)
            return .rest(part, body)
        }
        guard status == 304 else { return nil }
        await response.body.drain()
        return Revalidation.confirms(stored, fields) ? .notModified(stored, fields, at: now) : .unusable
    }

    private func serveConfirmed(
        _ fetch: CacheDecision.Fetch, _ stored: StoredResponse, _ fields: FieldList, _ call: CacheCall,
        from start: Date, to time: Date, _ beginning: Beginning, _ settle: Settle
    ) async throws -> Bool {
        var response = Revalidation.refreshed(
            stored, by: fields, requestTime: start, responseTime: time, rules: options.rules)
        let refusal = Storability.refusal(
            call.asked, status: response.status, fields: response.fields, at: time, rules: options.rules)
        // What the 304 says of storing counts from now on; its bytes are needed once more.
        let isLast = refusal.map { $0 != .noUse } ?? false
        if isLast { response.isInvalidated = true }
        if fetch.variants.isEmpty {
            await confirm(response, call, beginning)
        } else {
            guard let adopted = await adopt(response, of: stored, call, beginning) else { return false }
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

    private func serveCompleted(
        _ fetch: CacheDecision.Fetch, _ rest: StoredResponse, _ body: Data, _ call: CacheCall,
        _ beginning: Beginning, _ settle: Settle
    ) async throws -> Bool {
        guard let start = fetch.stored, let held = await store.body(of: start, for: call.key),
            let whole = PartialContent.combined(start, held, rest, body), whole.response.range == nil
        else { return false }
        settle(await keep(whole.response, whole.body, call, beginning) ? .stored : .abandoned)
        let freshness = Freshness(of: whole.response, now: wallClock.now, rules: options.rules)
        let status = CacheStatus(
            cache: options.name, forward: .partial, forwardStatus: 206, timeToLive: freshness.timeToLive)
        let head = StoredAnswer.whole(whole.response, for: call.asked, age: freshness.age)
        var headers = head.fields.headers
        headers.add(CacheStatus.fieldName, status.text)
        try await call.receive(
            ClientResponse(ResponseHead(status: 200, reason: "OK", headers: headers), body: ResponseBody(whole.body)))
        return true
    }

    // MARK: - Delivering

    private func deliver(
        _ response: ClientResponse, _ fetch: CacheDecision.Fetch, _ call: CacheCall, _ flight: CacheFlight?,
        since start: Date, _ beginning: Beginning, settle: @escaping Settle
    ) async throws {
        let status = response.head.status
        let fields = FieldList(response.head.headers)
        let now = wallClock.now
        var beginning = beginning
        if !call.asked.isSafe {
            await invalidate(WriteInvalidation.urls(call.asked, status: status, fields: fields), like: call.key)
            // What this answer says is newer than the change it made.
            beginning = await begin(call)
        }
        defer { if !call.asked.isSafe { reads.end(beginning.ticket) } }
        if call.asked.method == "HEAD", status == 200 {
            await learn(fromHead: fields, call, since: start, at: now, beginning)
        }

        var head = response.head
        var said = CacheStatus(cache: options.name, forward: fetch.reason)
        let declared = Self.declaredLength(fields)
        let refusal = Storability.refusal(call.asked, status: status, fields: fields, at: now, rules: options.rules)
        let isTooLarge = declared.map { $0 > options.entryLimit } ?? (fields.value("Content-Length") != nil)
        // A call that went on in another's name, or the same anew, keeps nothing.
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
        let place = status == 206 ? ContentRange(fields) : nil
        let reason = response.head.reason ?? ""
        let (ours, pace) = (beginning, ReaderPace(time))
        flight?.isRead(pace)
        let body = KeptBody(
            base: response.body, declared: declared, limit: options.entryLimit, pace: pace
        ) { [self] bytes in
            guard let bytes, place.map({ $0.range.count == bytes.count }) ?? true else {
                await pass(call, status: status)
                return settle(.unshared)
            }
            let stored = make(
                status: status, reason: reason, fields, call, since: start, at: now, length: bytes.count,
                range: place?.range)
            let isKept = await keep(stored, bytes, call, ours)
            if isKept { await unpass(call) }
            settle(isKept ? .stored : .abandoned)
        }
        try await call.receive(ClientResponse(head, body: ResponseBody(body)))
    }

    /// `nil` when the head announces no length, or one that cannot be read.
    private static func declaredLength(_ fields: FieldList) -> Int? {
        let values = Set(fields.elements("Content-Length"))
        guard values.count == 1 else { return nil }
        return values.first.flatMap(ByteRange.number)
    }

    private func make(
        status: Int, reason: String, _ fields: FieldList, _ call: CacheCall, since start: Date, at now: Date,
        length: Int, range: Range<Int>?
    ) -> StoredResponse {
        StoredResponse(
            method: call.asked.method, url: call.asked.url, status: status, reason: reason,
            fields: Storability.stored(fields, at: now, rules: options.rules),
            selecting: Vary.selecting(fields, request: call.asked.fields), wasAuthorized: call.asked.isAuthorized,
            requestTime: start, responseTime: now, length: length, range: range)
    }

    // MARK: - Store

    /// Runs `change` unless what it stores is out of date or not for who asked.
    ///
    /// - Returns: Whether it ran.
    private func storing(_ call: CacheCall, _ beginning: Beginning, _ change: () async -> Void) async -> Bool {
        guard !reads.isOutdated(beginning.ticket), call.request.context.mayKeepAnswer else { return false }
        guard let epochs else {
            await change()
            return true
        }
        return await epochs.storing(call.scopes, since: beginning.mark, change)
    }

    /// Stores an answer in place of those it supersedes, unless it is out of date by now.
    ///
    /// - Returns: `false` when it is.
    private func keep(
        _ response: StoredResponse, _ body: Data, _ call: CacheCall, _ beginning: Beginning
    ) async -> Bool {
        await storing(call, beginning) { await put(response, body, call) }
    }

    /// A validation confirmed what is stored; after a change meanwhile the next use asks again.
    private func confirm(_ response: StoredResponse, _ call: CacheCall, _ beginning: Beginning) async {
        let update = { (response: StoredResponse) in
            let until = Storability.keptUntil(response, rules: self.options.rules)
            await self.store.update(response, for: call.key, keptUntil: until)
        }
        let isDone = await storing(call, beginning) { await update(response) }
        guard !isDone, call.request.context.mayKeepAnswer else { return }
        var outdated = response
        outdated.isInvalidated = true
        await update(outdated)
    }

    /// Keeps a stored variant for this request too, which the origin said it answers.
    ///
    /// - Returns: `nil` when its body is gone.
    private func adopt(
        _ response: StoredResponse, of stored: StoredResponse, _ call: CacheCall, _ beginning: Beginning
    ) async -> StoredResponse? {
        guard let body = await store.body(of: stored, for: call.key), body.count == stored.length else { return nil }
        var copy = response
        copy.id = UUID()
        copy.selecting = Vary.selecting(response.fields, request: call.asked.fields)
        copy.wasAuthorized = call.asked.isAuthorized
        await confirm(response, call, beginning)
        return await keep(copy, body, call, beginning) ? copy : response
    }

    /// Stores an answer joined with a part it continues.
    private func put(_ response: StoredResponse, _ body: Data, _ call: CacheCall) async {
        let stored = await store.responses(for: call.key)
        let matching = stored.filter { Vary.matches($0, call.asked.fields) }
        var (kept, bytes) = (response, body)
        var replaced: Set<UUID> = []
        if response.range == nil {
            replaced.formUnion(matching.map(\.id))
        } else {
            for part in matching where part.range != nil {
                guard PartialContent.belongTogether(part.fields, response.fields) else {
                    replaced.insert(part.id)
                    continue
                }
                guard part.length + bytes.count <= options.entryLimit,
                    let held = await store.body(of: part, for: call.key),
                    let joined = PartialContent.combined(part, held, kept, bytes)
                else { continue }
                (kept, bytes) = joined
                replaced.insert(part.id)
            }
            // A whole of another representation is out of date.
            for whole in matching where whole.range == nil {
                if !PartialContent.belongTogether(whole.fields, response.fields) || kept.range == nil {
                    replaced.insert(whole.id)
                }
            }
        }
        let others = stored.filter { !replaced.contains($0.id) }
        if others.count >= options.variantLimit {
            replaced.formUnion(others.dropFirst(options.variantLimit - 1).map(\.id))
        }
        let until = Storability.keptUntil(kept, rules: options.rules)
        await store.store(kept, body: bytes, for: call.key, replacing: replaced, keptUntil: until, tags: call.tags)
    }

    /// Removes what the origin has just answered otherwise, with something that is not kept.
    private func forget(_ stored: StoredResponse?, after status: Int, _ call: CacheCall) async {
        guard let stored, call.asked.method == "GET", (200..<500).contains(status),
            ![206, 304, 408, 416, 429].contains(status)
        else { return }
        await store.remove([stored.id], for: call.key)
    }

    private func learn(
        fromHead fields: FieldList, _ call: CacheCall, since start: Date, at now: Date, _ beginning: Beginning
    ) async {
        _ = await storing(call, beginning) { await learn(fromHead: fields, call, since: start, at: now) }
    }

    private func learn(fromHead fields: FieldList, _ call: CacheCall, since start: Date, at now: Date) async {
        for stored in await store.responses(for: call.key) where Vary.matches(stored, call.asked.fields) {
            guard stored.range == nil, stored.status == 200 else { continue }
            let effect = Revalidation.effect(
                ofHead: fields, on: stored, requestTime: start, responseTime: now, rules: options.rules)
            var changed = stored
            if case .updated(let updated) = effect { changed = updated } else { changed.isInvalidated = true }
            await store.update(changed, for: call.key, keptUntil: Storability.keptUntil(changed, rules: options.rules))
        }
    }

    func invalidate(_ urls: [String], like key: HTTPCacheKey) async {
        for url in urls {
            reads.changed(url)
            let key = HTTPCacheKey(principal: key.principal, url: url)
            guard let epochs else {
                await outdate(key)
                continue
            }
            await epochs.invalidating(.url(url)) { await outdate(key) }
        }
    }

    private func outdate(_ key: HTTPCacheKey) async {
        for stored in await store.responses(for: key) where !stored.isInvalidated {
            var changed = stored
            changed.isInvalidated = true
            await store.update(changed, for: key, keptUntil: Storability.keptUntil(changed, rules: options.rules))
        }
    }
}
