import FoundationEssentials
import StrataCaching
import StrataDomain
import StrataNetworking

/// One request to the origin for all calls and all processes that share the store.
extension HTTPCacheInterceptor {
    /// `nil` for a call that waits for no other.
    func flightKey(_ call: CacheCall) async -> CacheFlightKey? {
        guard let variant = call.variant, !hitForMiss.contains(variant, at: wallClock.now) else { return nil }
        return CacheFlightKey(variant: variant, generation: await generation(call).generation)
    }

    /// Asks the origin for all waiting calls, unless the store has the response by now.
    func lead(_ call: CacheCall, _ lead: CacheLead) async throws {
        // Does nothing where the lead has ended already.
        defer { lead.end(.unshared) }
        do {
            if try await mustNotWait(call, lead) { lead.end(.unshared) }
            while true {
                let decision = await decide(call)
                if case .fetch(let fetch) = decision { return try await self.fetch(fetch, for: call, lead) }
                lead.end(.stored)
                if try await serve(decision, call, isCollapsed: false) { return }
            }
        } catch {
            lead.handOver()
            throw error
        }
    }

    /// Waits for another process that asks for the same; the call keeps most of its time for a request of its own. The lease is
    /// released with the lead.
    ///
    /// - Returns: Whether responses are known not to be cacheable, so that no call waits for this one.
    private func mustNotWait(_ call: CacheCall, _ lead: CacheLead) async throws -> Bool {
        guard store.isShared else { return false }
        let (variant, generation) = (lead.key.variant, lead.key.generation)
        if await isHitForMiss(variant) { return true }
        let deadline = call.request.context.deadline
        let hasLease = try await waitForLease(upTo: min(options.leaseWait, deadline.remaining / 3), on: time) {
            await store.acquireLease(for: variant, in: generation)
        }
        if hasLease {
            lead.hold { [store] in Task { await store.releaseLease(for: variant, in: generation) } }
        }
        guard !deadline.hasPassed else { throw NetworkError(.timeout) }
        return await isHitForMiss(variant)
    }

    // MARK: - Hit-for-miss

    /// Notes, for this process and others, that responses to `call` are not cacheable.
    func noteMiss(_ call: CacheCall, status: Int) async {
        // A failure says nothing about later responses.
        guard let variant = call.variant, status < 500, call.request.context.mayKeepAnswer else { return }
        let now = wallClock.now
        guard !hitForMiss.contains(variant, at: now) else { return }
        hitForMiss.insert(variant, at: now)
        guard store.isShared else { return }
        let note = StoredResponse(status: 204, requestTime: now, responseTime: now)
        let old = await store.responses(for: variant)
        await store.store(
            note, body: Data(), for: variant, replacing: Set(old.map(\.id)),
            keptUntil: now.addingTimeInterval(HitForMiss.lifetime), tags: [], since: nil)
    }

    /// Removes the note after a response was stored, so that calls wait for each other again.
    func noteHit(_ call: CacheCall) async {
        guard let variant = call.variant, hitForMiss.contains(variant, at: wallClock.now) else { return }
        hitForMiss.remove(variant)
        if store.isShared { await store.removeAll(for: variant) }
    }

    private func isHitForMiss(_ variant: HTTPCacheKey) async -> Bool {
        let now = wallClock.now
        guard let note = await store.responses(for: variant).first, HitForMiss.holds(note.responseTime, at: now)
        else { return false }
        hitForMiss.insert(variant, at: now)
        return true
    }
}
