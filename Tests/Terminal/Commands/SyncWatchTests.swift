import ArgumentParser
import FoundationEssentials
import StrataDomain
import StrataTerminal
import StrataTesting
import Testing

struct SyncWatchTests {
    private struct Watch {
        let sync: FakeSync
        let clock = ManualClock()
        let changes: AsyncStream<Void>.Continuation
        let network: ManualConnectivity
        let output: MemorySink
        let errors: MemorySink
        let task: Task<Void, any Error>

        init(_ sync: FakeSync, json: Bool = false, network: ManualConnectivity = ManualConnectivity()) {
            let (stream, changes) = AsyncStream.makeStream(of: Void.self)
            let tools = SyncTools(
                sync: sync, outbox: FakeOutbox(), conflicts: FakeConflicts(), localChanges: { stream },
                connectivity: network, clock: clock)
            let (console, output, errors) = Console.inMemory(json: json)
            self.sync = sync
            self.network = network
            self.changes = changes
            self.output = output
            self.errors = errors
            task = Task { try await SyncNowCommand.parse(["--watch"]).run(tools, console) }
        }

        func end() async {
            task.cancel()
            await #expect(throws: DomainError.cancelled) { try await task.value }
        }
    }

    @Test func `it synchronises at once and then every thirty seconds`() async {
        let watch = Watch(FakeSync())
        await watch.sync.waitForRounds(1)
        await watch.clock.waitForSleeper()
        watch.clock.advance(by: .seconds(29))
        #expect(watch.sync.rounds == 1)
        watch.clock.advance(by: .seconds(1))
        await watch.sync.waitForRounds(2)
        await watch.clock.waitForSleeper()
        watch.clock.advance(by: .seconds(30))
        await watch.sync.waitForRounds(3)
        await watch.end()
    }

    @Test func `a local write that waits is sent without waiting for the timer`() async {
        let watch = Watch(FakeSync())
        await watch.sync.waitForRounds(1)
        watch.sync.set(SyncStatus(pending: 1, rejected: 0, conflicts: 0, lastSyncedAt: nil))
        watch.changes.yield()
        await watch.sync.waitForRounds(2)
        await watch.end()
    }

    @Test func `a change that leaves nothing to send causes no round, or a round would cause the next`() async {
        let watch = Watch(FakeSync())
        await watch.sync.waitForRounds(1)
        watch.changes.yield()
        await watch.clock.waitForSleeper()
        watch.clock.advance(by: .seconds(30))
        await watch.sync.waitForRounds(2)
        #expect(watch.sync.rounds == 2)
        await watch.end()
    }

    @Test func `while the server is away it says so and goes on`() async {
        let watch = Watch(
            FakeSync(.failure(.unavailable("No connection.")), .failure(.busy("Overloaded.")), .success(SyncReport())))
        await watch.sync.waitForRounds(1)
        await watch.clock.waitForSleeper()
        watch.clock.advance(by: .seconds(30))
        await watch.sync.waitForRounds(2)
        await watch.clock.waitForSleeper()
        watch.clock.advance(by: .seconds(30))
        await watch.sync.waitForRounds(3)
        await watch.end()
        #expect(watch.errors.lines.count == 2)
        #expect(watch.errors.lines.first?.contains("No connection. Trying again in 30 s") == true)
    }

    @Test func `an ended session ends it, for waiting does not help`() async {
        let watch = Watch(FakeSync(.failure(.unauthorized("The session has ended."))))
        await #expect(throws: DomainError.unauthorized("The session has ended.")) { try await watch.task.value }
    }

    @Test func `programs get a line per round`() async {
        let watch = Watch(FakeSync(), json: true)
        await watch.sync.waitForRounds(1)
        await watch.clock.waitForSleeper()
        watch.clock.advance(by: .seconds(30))
        await watch.sync.waitForRounds(2)
        await watch.clock.waitForSleeper()
        watch.clock.advance(by: .seconds(30))
        await watch.sync.waitForRounds(3)
        await watch.end()
        #expect(watch.output.lines.count >= 2)
        #expect(
            watch.output.lines.allSatisfy { $0 == #"{"conflicts":0,"merged":0,"pulled":0,"pushed":0,"rejected":0}"# })
    }

    @Test func `when the network comes back it synchronises without waiting for the timer`() async {
        let watch = Watch(
            FakeSync(.failure(.unavailable("No connection.")), .success(SyncReport())),
            network: ManualConnectivity(.offline))
        await watch.sync.waitForRounds(1)
        await watch.network.waitUntilSeen()
        watch.network.set(.online)
        await watch.sync.waitForRounds(2)
        await watch.end()
    }

    @Test func `the network comes back as often as it goes`() async {
        let watch = Watch(FakeSync())
        await watch.sync.waitForRounds(1)
        for round in 2...4 {
            await watch.network.waitUntilSeen()
            watch.network.set(.offline)
            await watch.network.waitUntilSeen()
            watch.network.set(.online)
            await watch.sync.waitForRounds(round)
        }
        await watch.end()
    }

    @Test func `that the network is there, or goes, is no reason for a round`() async {
        let watch = Watch(FakeSync())
        await watch.sync.waitForRounds(1)
        await watch.network.waitUntilSeen()
        watch.network.set(.offline)
        await watch.network.waitUntilSeen()
        await watch.clock.waitForSleeper()
        watch.clock.advance(by: .seconds(30))
        await watch.sync.waitForRounds(2)
        #expect(watch.sync.rounds == 2)
        await watch.end()
    }

    @Test func `the timer goes on while the network is away, for the monitor may be wrong`() async {
        let watch = Watch(FakeSync(), network: ManualConnectivity(.offline))
        await watch.sync.waitForRounds(1)
        await watch.clock.waitForSleeper()
        watch.clock.advance(by: .seconds(30))
        await watch.sync.waitForRounds(2)
        await watch.end()
    }

    @Test func `cancelling it takes its observer away`() async {
        let watch = Watch(FakeSync())
        await watch.network.waitUntilSeen()
        await watch.end()
        #expect(watch.network.observers == 0)
    }
}
