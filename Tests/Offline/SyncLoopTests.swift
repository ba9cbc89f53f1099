import FoundationEssentials
import StrataConcurrency
import StrataDomain
import StrataTesting
import Testing

@testable import StrataOffline

/// The driver around `SyncSchedule`: what reaches it as a wake, on a clock that stands still unless a test moves it.
@Suite struct `The loop of the engine` {
    let server = FakeSyncServer()

    /// A loop in a task of its own, and its events.
    private final class Run: Sendable {
        let home: Home
        let connectivity = ManualConnectivity()
        let writes: AsyncStream<Void>.Continuation
        let loop: SyncLoop
        private let record = Record()
        private let task: Task<Void, Never>

        init(_ home: Home, longPollSeconds: Int? = nil) {
            self.home = home
            let (stream, writes) = AsyncStream.makeStream(of: Void.self)
            self.writes = writes
            let loop = SyncLoop(
                engine: home.engine, settings: .init(longPollSeconds: longPollSeconds), connectivity: connectivity,
                localWrites: { stream }, clock: home.clock, random: RandomSource(SeededRandom(seed: 1)),
                onEvent: record.note)
            self.loop = loop
            task = Task { await loop.run() }
        }

        /// Ends the loop, which must not hang.
        func end() async {
            task.cancel()
            await task.value
        }

        /// Returns when `runs` runs are over and the loop waits.
        func waits(after runs: Int, in phase: SyncSchedule.Phase = .resting) async throws {
            try await eventually("\(runs) runs, then \(phase)") {
                record.state.withLock { $0.started == runs && $0.waits.count == runs && $0.waits.last?.0 == phase }
            }
            // The sleeper of the wait.
            await home.clock.waitForSleeper()
        }
    }

    private final class Record: Sendable {
        let state = Mutex((started: 0, waits: [(SyncSchedule.Phase, Duration)]()))

        func note(_ event: SyncLoop.Event) {
            state.withLock { state in
                switch event {
                case .started: state.started += 1
                case .waiting(let phase, let wait): state.waits.append((phase, wait))
                case .synchronised, .failed: break
                }
            }
        }
    }

    private func withLoop(longPollSeconds: Int? = nil, _ body: (Run) async throws -> Void) async throws {
        let run = Run(try await Home(server), longPollSeconds: longPollSeconds)
        do { try await body(run) } catch {
            await run.end()
            throw error
        }
        await run.end()
    }

    @Test func `a local write is sent at once, not at the next poll`() async throws {
        try await withLoop { run in
            try await run.waits(after: 1)
            try await run.home.create("a", "one")
            run.writes.yield()
            try await run.waits(after: 2)
            #expect(server.live("notes") == ["a": ["text": "one"]])
            #expect(run.home.clock.now.offset == .zero)
        }
    }

    @Test func `a change of the store that queues nothing causes no run`() async throws {
        try await withLoop { run in
            try await run.waits(after: 1)
            for number in 2...3 {
                for _ in 0..<3 { run.writes.yield() }
                // The poll is the next that causes one.
                run.home.clock.advance(by: .seconds(60))
                try await run.waits(after: number)
            }
            #expect(server.with(\.received.isEmpty))
        }
    }

    @Test func `a network that comes back ends a back-off`() async throws {
        try await withLoop { run in
            try await run.waits(after: 1)
            run.home.link.failing(.offline("no route"))
            run.connectivity.set(.offline)
            await run.connectivity.waitUntilSeen()
            try await run.home.create("a", "one")
            run.home.clock.advance(by: .seconds(60))
            try await run.waits(after: 2, in: .offline)
            run.home.link.healed()
            run.connectivity.set(.online)
            try await run.waits(after: 3)
            #expect(server.live("notes") == ["a": ["text": "one"]])
            #expect(run.home.clock.now.offset == .seconds(60))
        }
    }

    @Test func `a login ends the pause of an ended session`() async throws {
        try await withLoop { run in
            try await run.waits(after: 1)
            run.home.link.failing(.unauthorized(nil))
            try await run.home.create("a", "one")
            run.writes.yield()
            try await run.waits(after: 2, in: .paused)
            run.home.link.healed()
            run.loop.notify(.signedIn)
            try await run.waits(after: 3)
            #expect(server.live("notes") == ["a": ["text": "one"]])
            #expect(run.home.clock.now.offset == .zero)
        }
    }

    @Test func `a change at the server ends the wait through the held request`() async throws {
        try await withLoop(longPollSeconds: 25) { run in
            try await run.waits(after: 1)
            server.put("notes", "a", ["text": "theirs"])
            // The double answers at once; the loop asks again after a second.
            await run.home.clock.waitForSleeper(dueIn: .seconds(1))
            run.home.clock.advance(by: .seconds(1))
            try await run.waits(after: 2)
            #expect(try await run.home.note("a")?.text == "theirs")
            #expect(run.home.clock.now.offset == .seconds(1))
        }
    }

    @Test func `without an event it runs at each poll`() async throws {
        try await withLoop { run in
            for number in 1...3 {
                try await run.waits(after: number)
                server.put("notes", "n\(number)", ["text": "theirs"])
                run.home.clock.advance(by: .seconds(60))
            }
            try await run.waits(after: 4)
            #expect(try await run.home.notes().count == 3)
        }
    }

    @Test func `a login during a run causes another run`() async throws {
        try await withLoop { run in
            try await run.waits(after: 1)
            run.home.link.onAnswer { [loop = run.loop] name in if name == "push" { loop.notify(.signedIn) } }
            try await run.home.create("a", "one")
            run.writes.yield()
            try await run.waits(after: 3)
        }
    }
}
