import StrataDomain

/// Synchronises on a timer and on local writes, until its task is cancelled.
struct SyncWatch: Sendable {
    static let pause: Duration = .seconds(30)

    let tools: SyncTools
    let console: Console

    /// - Throws: `.cancelled` at its regular end; what cannot be helped by waiting, such as an ended session.
    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            // One waiting wake-up is enough: a round sends and fetches everything.
            let (wakes, waker) = AsyncStream.makeStream(of: Wake.self, bufferingPolicy: .bufferingNewest(1))
            group.addTask { [tools] in
                while true {
                    try await tools.clock.sleep(for: Self.pause)
                    waker.yield(.timer)
                }
            }
            group.addTask { [tools] in
                for await _ in tools.localChanges() { waker.yield(.change) }
            }
            defer { group.cancelAll() }
            try await round()
            for await wake in wakes {
                if try await isNeeded(wake) { try await round() }
            }
            throw DomainError.cancelled
        }
    }

    private enum Wake: Sendable { case timer, change }

    /// A round changes local rows itself; only a write that waits is worth another one.
    private func isNeeded(_ wake: Wake) async throws -> Bool {
        switch wake {
        case .timer: true
        case .change: try await tools.sync.status().pending > 0
        }
    }

    private func round() async throws {
        do {
            let report = try await tools.sync.sync()
            if console.isJSON || report != SyncReport() { try console.report(report) }
        } catch DomainError.unavailable(let reason) {
            console.warn("\(reason) Trying again in 30 s; what is written here stays queued.")
        } catch DomainError.busy(let reason, _) {
            console.warn("\(reason) Trying again in 30 s; what is written here stays queued.")
        }
    }
}
