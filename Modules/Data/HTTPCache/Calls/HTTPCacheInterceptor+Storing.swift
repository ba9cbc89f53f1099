import FoundationEssentials
import StrataDomain
import StrataNetworking

/// Changes the store after a response.
extension HTTPCacheInterceptor {
    /// The generation of the tags and the URL of `call`. It is read before the request to the origin, so that the response is
    /// not stored after an invalidation.
    func generation(_ call: CacheCall) async -> HTTPCacheGeneration { await store.generation(of: call.scopes) }

    /// Stores a response in place of those it supersedes.
    ///
    /// - Returns: `false` when it is out of date or belongs to another principal than the one that asked.
    func keep(_ response: StoredResponse, _ body: Data, _ exchange: OriginExchange) async -> Bool {
        guard exchange.call.request.context.mayKeepAnswer else { return false }
        return await put(response, body, exchange.call, exchange.generation)
    }

    /// The origin confirmed a stored response; after a change meanwhile the next use revalidates it again.
    func confirm(_ response: StoredResponse, _ call: CacheCall, _ generation: HTTPCacheGeneration) async {
        guard call.request.context.mayKeepAnswer, await !update(response, call.key, since: generation) else { return }
        var outdated = response
        outdated.isInvalidated = true
        await update(outdated, call.key)
    }

    @discardableResult
    private func update(
        _ response: StoredResponse, _ key: HTTPCacheKey, since generation: HTTPCacheGeneration? = nil
    ) async -> Bool {
        let until = Storability.keptUntil(response, rules: options.rules)
        return await store.update(response, for: key, keptUntil: until, since: generation)
    }

    /// Keeps a stored variant for this request too, after the origin chose it.
    ///
    /// - Returns: `nil` when its body is gone.
    func adopt(
        _ response: StoredResponse, of stored: StoredResponse, _ exchange: OriginExchange
    ) async -> StoredResponse? {
        let call = exchange.call
        guard let body = await store.body(of: stored, for: call.key), body.count == stored.length else { return nil }
        var copy = response
        copy.id = .random()
        copy.selecting = Vary.selecting(response.fields, request: call.asked.fields)
        copy.wasAuthorized = call.asked.isAuthorized
        await confirm(response, call, exchange.generation)
        return await keep(copy, body, exchange) ? copy : response
    }

    /// Stores a response joined with a part it continues.
    ///
    /// - Returns: `false` when it is out of date.
    private func put(
        _ response: StoredResponse, _ body: Data, _ call: CacheCall, _ generation: HTTPCacheGeneration
    ) async -> Bool {
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
        await store.store(
            kept, body: bytes, for: call.key, replacing: replaced, keptUntil: until, tags: call.tags, since: generation)
        return await store.generation(of: generation.names) == generation
    }

    /// Removes a stored response after the origin sent one that is not stored.
    func forget(_ stored: StoredResponse?, after status: Int, _ call: CacheCall) async {
        guard let stored, call.asked.method == "GET", (200..<500).contains(status),
            ![206, 304, 408, 416, 429].contains(status)
        else { return }
        await store.remove([stored.id], for: call.key)
    }

    /// Updates the stored responses to GET from a 200 to HEAD.
    func learn(fromHead fields: HeaderFields, _ exchange: OriginExchange, at now: Date) async {
        let call = exchange.call
        guard call.request.context.mayKeepAnswer else { return }
        for stored in await store.responses(for: call.key) where Vary.matches(stored, call.asked.fields) {
            guard stored.range == nil, stored.status == 200 else { continue }
            let effect = Revalidation.effect(
                ofHead: fields, on: stored, requestTime: exchange.start, responseTime: now, rules: options.rules)
            var changed = stored
            if case .updated(let updated) = effect { changed = updated } else { changed.isInvalidated = true }
            await update(changed, call.key, since: exchange.generation)
        }
    }

    /// Marks the stored responses of `urls` for revalidation before their next use.
    func invalidate(_ urls: [String], like key: HTTPCacheKey) async {
        for url in urls {
            // First: responses stored before this line are found below, and nothing older is stored after it.
            await store.invalidate(CacheCall.scope(of: url))
            let key = HTTPCacheKey(principal: key.principal, url: url)
            for stored in await store.responses(for: key) where !stored.isInvalidated {
                var changed = stored
                changed.isInvalidated = true
                await update(changed, key)
            }
        }
    }
}
