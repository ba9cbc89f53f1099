import FoundationEssentials
import StrataDomain
import StrataNetworking

/// One request for all processes that share the store.
extension HTTPCacheInterceptor {
    /// Waits for another process that asks for the same, within the deadline, and has others wait until `flight` settles.
    ///
    /// - Returns: Whether answers are known not to be kept, so that nobody is to wait for this one.
    func mustNotWait(_ call: CacheCall, _ key: CacheFlights.Key, _ flight: CacheFlight) async throws -> Bool {
        guard let leases else { return false }
        if await isPassed(key) { return true }
        let (context, lease) = (call.request.context, key.lease)
        let limit = min(options.leaseWait, context.deadline.remaining)
        let (grants, grant) = AsyncStream<LeaseGrant>.makeStream()
        // In a task of its own: the lease ends with the flight, not with whoever reads the answer.
        let holder = Task {
            defer { grant.finish() }
            try await leases.withLease(lease, upTo: limit) { given in
                grant.yield(given)
                grant.finish()
                try await flight.untilSettled()
            }
        }
        var given: LeaseGrant?
        for await grant in grants { given = grant }
        guard let given, !Task.isCancelled else {
            holder.cancel()
            throw CancellationError()
        }
        guard !context.deadline.hasPassed else { throw NetworkError(.timeout) }
        return given == .atOnce ? false : await isPassed(key)
    }

    /// Remembers, here and in other processes, that the answers to `call` are not ones to keep.
    func pass(_ call: CacheCall, status: Int) async {
        // A failure says nothing about the answers to come.
        guard let key = call.flight, status < 500, call.request.context.mayKeepAnswer else { return }
        let now = wallClock.now
        guard !passed.contains(key, at: now) else { return }
        passed.insert(key, at: now)
        guard leases != nil else { return }
        let note = StoredResponse(status: 204, requestTime: now, responseTime: now)
        let old = await store.responses(for: key.passed)
        await store.store(
            note, body: Data(), for: key.passed, replacing: Set(old.map(\.id)),
            keptUntil: now.addingTimeInterval(PassedAnswers.lifetime), tags: [])
    }

    /// An answer was kept: others are worth waiting for again.
    func unpass(_ call: CacheCall) async {
        guard let key = call.flight, passed.contains(key, at: wallClock.now) else { return }
        passed.remove(key)
        if leases != nil { await store.removeAll(for: key.passed) }
    }

    private func isPassed(_ key: CacheFlights.Key) async -> Bool {
        let now = wallClock.now
        guard let note = await store.responses(for: key.passed).first, PassedAnswers.holds(note.responseTime, at: now)
        else { return false }
        passed.insert(key, at: now)
        return true
    }
}
