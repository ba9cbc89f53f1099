/// One execution for all tasks that ask for the same key at the same time. A finished execution is not stored.
///
/// Use an instance in one of two ways. With `value(for:)` the work runs in a task of its own and is cancelled when its
/// last waiter leaves. With `join` the first caller leads: it does the work in its own task and calls `finish`, or `handOver`
/// when it ends for reasons of its own, which makes a waiter the new leader. A cancelled waiter leaves alone.
package final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// What `join` returns.
    package enum Turn: Sendable {
        /// The caller leads from now on and must call `finish` or `handOver`.
        case leads
        /// The leader finished with this value.
        case value(Value)
    }

    private struct Flight {
        let number: Int
        /// As the first caller gave it.
        let key: Key
        /// Runs the work where no caller leads.
        var task: Task<Void, Never>?
        var waiters: [(rank: Duration, waiter: Waiter<Turn>)] = []
    }

    private struct State {
        var flights: [Key: Flight] = [:]
        var lastNumber = 0

        mutating func begin(_ key: Key) -> Int {
            lastNumber += 1
            flights[key] = Flight(number: lastNumber, key: key)
            return lastNumber
        }
    }

    private let state = Mutex(State())

    package init() {}

    /// Executions under way.
    package var count: Int { state.withLock(\.flights.count) }

    /// Tasks that wait, for any key.
    package var waiting: Int { state.withLock { $0.flights.values.reduce(0) { $0 + $1.waiters.count } } }

    // MARK: - In a task of its own

    /// What `work` returns, run once for all that ask for `key` meanwhile.
    ///
    /// The task inherits priority and task-local values of the first caller.
    ///
    /// - Throws: `CancellationError` when the waiting task is cancelled; the others wait on. After the last one the work
    ///   is cancelled, and the next caller begins anew.
    package func value(for key: Key, _ work: @escaping @Sendable () async -> Value) async throws -> Value {
        try Task.checkCancellation()
        let waiter = Waiter<Turn>()
        state.withLock { state in
            if state.flights[key] == nil {
                let number = state.begin(key)
                state.flights[key]?.task = Task { finish(key, await work(), number: number) }
            }
            state.flights[key]?.waiters.append((.zero, waiter))
        }
        while true {
            if case .value(let value) = try await wait(waiter, for: key, until: nil) { return value }
        }
    }

    // MARK: - Led by a caller

    /// Leads the execution for `key`, or waits for the one under way.
    ///
    /// - Parameters:
    ///   - rank: Of the waiters, the one of the highest rank becomes the new leader.
    ///   - limit: How long to wait.
    ///   - waits: Called before the wait, with the key that the first leader gave.
    /// - Returns: `nil` when `limit` came first.
    /// - Throws: `CancellationError` when cancelled while waiting; the others wait on.
    package func join(
        _ key: Key, rank: Duration = .zero, until limit: WaitLimit? = nil, waits: (Key) -> Void = { _ in }
    ) async throws -> Turn? {
        let joined = state.withLock { state -> (first: Key, waiter: Waiter<Turn>)? in
            guard let first = state.flights[key]?.key else {
                _ = state.begin(key)
                return nil
            }
            let waiter = Waiter<Turn>()
            state.flights[key]?.waiters.append((rank, waiter))
            return (first, waiter)
        }
        guard let joined else { return .leads }
        waits(joined.first)
        return try await wait(joined.waiter, for: key, until: limit)
    }

    /// Leads the execution for `key` unless one is under way; does not wait for it.
    ///
    /// - Returns: Whether the caller leads.
    package func lead(_ key: Key) -> Bool {
        state.withLock { state in
            guard state.flights[key] == nil else { return false }
            _ = state.begin(key)
            return true
        }
    }

    /// Ends the execution and hands `value` to all waiters. Called by the leader.
    package func finish(_ key: Key, _ value: Value) { finish(key, value, number: nil) }

    /// Ends the leader's part: the waiter of the highest rank leads now, and the others wait for it.
    ///
    /// - Parameter failure: Told to waiters of this rank or a lower one, which do not wait on.
    package func handOver(_ key: Key, failure: (value: Value, rank: Duration)? = nil) {
        if let failure {
            let told = state.withLock { state in
                let waiters = state.flights[key]?.waiters ?? []
                state.flights[key]?.waiters.removeAll { $0.rank <= failure.rank }
                return waiters.filter { $0.rank <= failure.rank }
            }
            for entry in told { entry.waiter.resume(.value(failure.value)) }
        }
        while let next = nextLeader(key), !next.resume(.leads) {}
    }

    private func nextLeader(_ key: Key) -> Waiter<Turn>? {
        state.withLock { state in
            let waiters = state.flights[key]?.waiters ?? []
            guard let place = waiters.indices.max(by: { waiters[$0].rank < waiters[$1].rank }) else {
                state.flights[key] = nil
                return nil
            }
            return state.flights[key]?.waiters.remove(at: place).waiter
        }
    }

    // MARK: - Waiting

    private func finish(_ key: Key, _ value: Value, number: Int?) {
        let waiters = state.withLock { state -> [Waiter<Turn>] in
            guard let place = state.flights.index(forKey: key),
                number == nil || state.flights[place].value.number == number
            else { return [] }
            let waiters = state.flights.remove(at: place).value.waiters
            // No key path: in a generic type it is made anew each time, which takes longer than all else here.
            return waiters.isEmpty ? [] : waiters.map { $0.waiter }
        }
        for waiter in waiters { waiter.resume(.value(value)) }
    }

    private func wait(_ waiter: Waiter<Turn>, for key: Key, until limit: WaitLimit?) async throws -> Turn? {
        do {
            if let turn = try await waiter.wait(until: limit) { return turn }
        } catch {
            leave(waiter, key)
            throw error
        }
        leave(waiter, key)
        return nil
    }

    private func leave(_ waiter: Waiter<Turn>, _ key: Key) {
        let abandoned = state.withLock { state -> Task<Void, Never>? in
            guard let flight = state.flights[key], flight.waiters.contains(where: { $0.waiter === waiter }) else {
                return nil
            }
            state.flights[key]?.waiters.removeAll { $0.waiter === waiter }
            guard let task = flight.task, flight.waiters.count == 1 else { return nil }
            state.flights[key] = nil
            return task
        }
        abandoned?.cancel()
    }
}
