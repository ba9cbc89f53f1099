import FoundationEssentials
import StrataDomain
import StrataNetworking

/// One request to the origin for all processes that share the store.
extension HTTPCacheInterceptor {
    /// Waits for another process that asks for the same, within the deadline. The lease is released when `flight` settles.
    ///
    /// - Returns: Whether responses are known not to be kept, so that no call waits for this one.
    func mustNotWait(_ call: CacheCall, _ key: CacheFlights.Key, _ flight: CacheFlight) async throws -> Bool {
        guard store.isShared else { return false }
        if await isHitForMiss(key) { return true }
        let deadline = call.request.context.deadline
        let grant = try await leaseGrant(upTo: min(options.leaseWait, deadline.remaining), on: time) {
            await store.acquireLease(for: key.lease)
        }
        if grant != .busy { flight.whenSettled { [store] in Task { await store.releaseLease(for: key.lease) } } }
        guard !deadline.hasPassed else { throw NetworkError(.timeout) }
        return grant == .atOnce ? false : await isHitForMiss(key)
    }

    /// Notes, for this process and others, that responses to `call` are not kept.
    func pass(_ call: CacheCall, status: Int) async {
        // A failure says nothing about later responses.
        guard let key = call.flight, status < 500, call.request.context.mayKeepAnswer else { return }
        let now = wallClock.now
        guard !hitForMiss.contains(key, at: now) else { return }
        hitForMiss.insert(key, at: now)
        guard store.isShared else { return }
        let note = StoredResponse(status: 204, requestTime: now, responseTime: now)
        let old = await store.responses(for: key.hitForMiss)
        await store.store(
            note, body: Data(), for: key.hitForMiss, replacing: Set(old.map(\.id)),
            keptUntil: now.addingTimeInterval(HitForMiss.lifetime), tags: [], since: nil)
    }

    /// Notes that a response was kept, so that calls wait for each other again.
    func unpass(_ call: CacheCall) async {
        guard let key = call.flight, hitForMiss.contains(key, at: wallClock.now) else { return }
        hitForMiss.remove(key)
        if store.isShared { await store.removeAll(for: key.hitForMiss) }
    }

    private func isHitForMiss(_ key: CacheFlights.Key) async -> Bool {
        let now = wallClock.now
        guard let note = await store.responses(for: key.hitForMiss).first, HitForMiss.holds(note.responseTime, at: now)
        else { return false }
        hitForMiss.insert(key, at: now)
        return true
    }
}
