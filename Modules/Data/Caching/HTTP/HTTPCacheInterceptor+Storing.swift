import FoundationEssentials
import StrataDomain
import StrataNetworking

/// What an answer changes in the store.
extension HTTPCacheInterceptor {
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
    func keep(
        _ response: StoredResponse, _ body: Data, _ call: CacheCall, _ beginning: Beginning
    ) async -> Bool {
        await storing(call, beginning) { await put(response, body, call) }
    }

    /// A validation confirmed what is stored; after a change meanwhile the next use asks again.
    func confirm(_ response: StoredResponse, _ call: CacheCall, _ beginning: Beginning) async {
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
    func adopt(
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
    func forget(_ stored: StoredResponse?, after status: Int, _ call: CacheCall) async {
        guard let stored, call.asked.method == "GET", (200..<500).contains(status),
            ![206, 304, 408, 416, 429].contains(status)
        else { return }
        await store.remove([stored.id], for: call.key)
    }

    func learn(
        fromHead fields: HeaderFields, _ call: CacheCall, since start: Date, at now: Date, _ beginning: Beginning
    ) async {
        _ = await storing(call, beginning) { await learn(fromHead: fields, call, since: start, at: now) }
    }

    private func learn(fromHead fields: HeaderFields, _ call: CacheCall, since start: Date, at now: Date) async {
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
