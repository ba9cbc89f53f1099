import StrataDomain

/// Synchronises on a timer, on local writes and when the network comes back, until its task is cancelled.
struct SyncWatch: Sendable {
    static let pause: Duration = .seconds(30)

    let tools: SyncTools
    let console: Console

    /// - Throws: `.cancelled` at its regular end; what cannot be helped by waiting, such as an ended session.
    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            let (reasons, rounds) = (SyncReasons(), SyncRounds())
            group.addTask { [tools] in
                while true {
                    try await tools.clock.sleep(for: Self.pause)
                    reasons.add(.timer)
                }
            }
            group.addTask { [tools] in
                for await _ in tools.localChanges() { reasons.add(.change) }
            }
            group.addTask { [tools] in
                var lost: Int?
                for await state in tools.connectivity.states() {
                    switch state {
                    case .offline: lost = rounds.begun
                    case .online: if let lost { reasons.add(.online(lostAfter: lost)) }
                    }
                }
            }
            defer { group.cancelAll() }
            try await round(rounds)
            for await _ in reasons.wakes {
                for reason in reasons.take() where try await isEnough(reason, rounds) {
                    try await round(rounds)
                    break
                }
            }
            throw DomainError.cancelled
        }
    }

    /// A round changes local rows itself; only a write that waits is worth another one. And it is often a round that finds
    /// the network back: then nothing is left to do.
    private func isEnough(_ reason: SyncReason, _ rounds: SyncRounds) async throws -> Bool {
        switch reason {
        case .timer: true
        case .change: try await tools.sync.status().pending > 0
        case .online(let lost): rounds.lastDone <= lost
        }
    }

    private func round(_ rounds: SyncRounds) async throws {
        let number = rounds.begin()
        do {
            let report = try await tools.sync.sync()
            rounds.done(number)
            if console.isJSON || report != SyncReport() { try console.report(report) }
        } catch DomainError.unavailable(let reason) {
            console.warn("\(reason) Trying again in 30 s; what is written here stays queued.")
        } catch DomainError.busy(let reason, _) {
            console.warn("\(reason) Trying again in 30 s; what is written here stays queued.")
        }
    }
}
