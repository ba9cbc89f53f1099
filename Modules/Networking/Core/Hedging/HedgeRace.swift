import StrataConcurrency
import StrataDomain

/// Which of several equal requests delivers its response: the first with a good one, or the last that is left.
final class HedgeRace: Sendable {
    private struct State {
        /// Requests that may still win.
        var running: Set<Int> = []
        /// Of all requests: one that has lost may still be reading its response.
        var tasks: [Int: Task<Void, Never>] = [:]
        /// Runners whose task waits to be named.
        var unnamed: [Int: CheckedContinuation<Void, Never>] = [:]
        var winner: Int?
        var isOver = false
    }

    private let state = Mutex(State())

    /// Whether one more request may join: none has won, and at least one is under way.
    var isOpen: Bool {
        state.withLock { $0.winner == nil && !$0.isOver && !$0.running.isEmpty }
    }

    /// - Returns: `false` when the race is over or no request is left.
    func enter(_ runner: Int) -> Bool {
        state.withLock { state in
            guard runner == 0 || state.winner == nil && !state.isOver && !state.running.isEmpty else { return false }
            state.running.insert(runner)
            return true
        }
    }

    /// Names the task of a runner; a race that is over meanwhile cancels it.
    func attach(_ task: Task<Void, Never>, to runner: Int) {
        let (isLost, waiting) = state.withLock { state in
            state.tasks[runner] = task
            let isLost = state.isOver || state.winner.map { $0 != runner } ?? false
            return (isLost, state.unnamed.removeValue(forKey: runner))
        }
        if isLost { task.cancel() }
        waiting?.resume()
    }

    /// Returns when the task of `runner` is named: from then on a winner cancels it, so it sends nothing behind the end of the race.
    func attached(_ runner: Int) async {
        await withCheckedContinuation { continuation in
            let isNamed = state.withLock { state in
                if state.tasks[runner] == nil { state.unnamed[runner] = continuation }
                return state.tasks[runner] != nil
            }
            if isNamed { continuation.resume() }
        }
    }

    /// The head of a response arrived at `runner`.
    ///
    /// - Parameter isGood: Whether its status is not retried.
    /// - Returns: Whether it wins; `false` when another request has won or may still have a better response.
    func arrive(_ runner: Int, isGood: Bool) -> Bool {
        let losers = state.withLock { state -> [Task<Void, Never>]? in
            guard state.winner == nil, !state.isOver else { return nil }
            guard isGood || state.running.count == 1 else {
                state.running.remove(runner)
                return nil
            }
            state.winner = runner
            return state.tasks.filter { $0.key != runner }.map(\.value)
        }
        for loser in losers ?? [] { loser.cancel() }
        return losers != nil
    }

    /// `runner` ended without a response.
    ///
    /// - Returns: Whether its failure is that of the call.
    func fail(_ runner: Int) -> Bool {
        state.withLock { state in
            state.running.remove(runner)
            return state.winner == runner || state.winner == nil && state.running.isEmpty
        }
    }

    /// Ends everything that still runs.
    func cancel() {
        let tasks = state.withLock { state in
            state.isOver = true
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
    }
}
