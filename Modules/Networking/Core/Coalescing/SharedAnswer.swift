import StrataConcurrency
import StrataDomain

/// An answer that several calls wait for; settled once.
final class SharedAnswer: Sendable {
    enum Outcome: Sendable {
        case answered(CollectedResponse)
        case failed(any Error, [NetworkError.Attempt])
        /// The sender ended for reasons of its own: ask again.
        case abandoned
        /// The sender ended for want of time: send yourself, and settle this answer.
        case elected(SharedAnswer)
    }

    /// What a waiter is told, and by which call.
    struct Settlement: Sendable {
        let outcome: Outcome
        let sender: CallContext
    }

    private struct Waiter {
        let context: CallContext
        let continuation: CheckedContinuation<Settlement?, Never>
    }

    private struct State {
        var outcome: Outcome?
        /// By their contexts, which a call has one of.
        var waiters: [ObjectIdentifier: Waiter] = [:]
        var left: Set<ObjectIdentifier> = []
        /// Has the waiters since this answer was given up.
        var successor: SharedAnswer?
    }

    /// The call that sends.
    let sender: CallContext
    private let state: Mutex<State>

    init(sender: CallContext) {
        self.sender = sender
        state = Mutex(State())
    }

    private init(sender: CallContext, waiters: [ObjectIdentifier: Waiter]) {
        self.sender = sender
        state = Mutex(State(waiters: waiters))
    }

    /// - Throws: `CancellationError` when the waiting task is cancelled, `.timeout` at its deadline; the others wait on.
    func wait(for context: CallContext) async throws -> Settlement {
        let id = ObjectIdentifier(context)
        let (timers, end) = (context.deadline.time.timers, context.deadline.instant)
        let timer = timers.schedule(at: end) { [weak self] in self?.leave(id) }
        defer { timers.cancel(timer) }
        let settlement = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (settlement, isDecided) = state.withLock { state -> (Settlement?, Bool) in
                    if state.left.remove(id) != nil { return (nil, true) }
                    if let outcome = state.outcome { return (Settlement(outcome: outcome, sender: sender), true) }
                    state.waiters[id] = Waiter(context: context, continuation: continuation)
                    return (nil, false)
                }
                context.emit(.joined(requestId: sender.requestId))
                if isDecided { continuation.resume(returning: settlement) }
            }
        } onCancel: {
            leave(id)
        }
        guard let settlement else {
            try Task.checkCancellation()
            throw NetworkError(.timeout)
        }
        return settlement
    }

    private func leave(_ id: ObjectIdentifier) {
        let (waiter, successor) = state.withLock { state -> (Waiter?, SharedAnswer?) in
            if let waiter = state.waiters.removeValue(forKey: id) { return (waiter, nil) }
            if state.successor == nil { state.left.insert(id) }
            return (nil, state.successor)
        }
        waiter?.continuation.resume(returning: nil)
        successor?.leave(id)
    }

    /// Hands `outcome` to all who wait. If the sender failed for want of time, those who have more of it go on: the one
    /// with the most sends, and the others wait for it.
    ///
    /// - Returns: The answer that they wait for now, if any.
    func settle(_ outcome: Outcome) -> SharedAnswer? {
        let end = sender.deadline.instant
        let mayGoOn = outcome.isFailure && sender.isShortOfTime
        let (waiters, elected, successor) = state.withLock { state -> ([Waiter], Waiter?, SharedAnswer?) in
            guard state.outcome == nil else { return ([], nil, nil) }
            guard !state.waiters.isEmpty else {
                state.outcome = mayGoOn ? .abandoned : outcome
                return ([], nil, nil)
            }
            defer { state.waiters = [:] }
            var patient = mayGoOn ? state.waiters.filter { $0.value.context.deadline.instant > end } : [:]
            let elected = patient.max { $0.value.context.deadline.instant < $1.value.context.deadline.instant }
            // Who comes late asks again.
            state.outcome = mayGoOn ? .abandoned : outcome
            guard let elected else { return (Array(state.waiters.values), nil, nil) }
            let impatient = state.waiters.filter { patient[$0.key] == nil }
            patient[elected.key] = nil
            let successor = SharedAnswer(sender: elected.value.context, waiters: patient)
            state.successor = successor
            return (Array(impatient.values), elected.value, successor)
        }
        for waiter in waiters { waiter.continuation.resume(returning: Settlement(outcome: outcome, sender: sender)) }
        if let successor {
            elected?.continuation.resume(returning: Settlement(outcome: .elected(successor), sender: sender))
        }
        return successor
    }
}

extension SharedAnswer.Outcome {
    fileprivate var isFailure: Bool {
        switch self {
        case .answered(let collected): collected.head.status >= 400
        case .failed: true
        case .abandoned, .elected: false
        }
    }
}
