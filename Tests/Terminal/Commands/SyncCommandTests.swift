import ArgumentParser
import FoundationEssentials
import StrataDomain
import StrataTerminal
import StrataTesting
import Testing

struct SyncCommandTests {
    private let clock = ManualWallClock(Date(timeIntervalSince1970: 1_795_262_400))

    private func tools(_ sync: FakeSync) -> SyncTools {
        SyncTools(sync: sync, outbox: FakeOutbox(), conflicts: FakeConflicts())
    }

    private func report(_ edit: (inout SyncReport) -> Void) -> SyncReport {
        var report = SyncReport()
        edit(&report)
        return report
    }

    @Test func `a sync says what it did and what is left for a person`() async throws {
        let sync = FakeSync(.success(report { ($0.pushed, $0.pulled, $0.conflicts, $0.rejected) = (3, 12, 1, 2) }))
        let (console, output, errors) = Console.inMemory()
        try await SyncNowCommand.parse([]).run(tools(sync), console)
        #expect(output.text == "sent 3, received 12, merged 0\n")
        #expect(errors.lines.count == 2)
        #expect(errors.text.contains("1 in conflict") && errors.text.contains("2 rejected"))
    }

    @Test func `a sync for programs is one document`() async throws {
        let (console, output, errors) = Console.inMemory(json: true)
        try await SyncNowCommand.parse([]).run(tools(FakeSync(.success(report { $0.pushed = 1 }))), console)
        #expect(output.text == #"{"conflicts":0,"merged":0,"received":0,"rejected":0,"sent":1}"# + "\n")
        #expect(errors.text.isEmpty)
    }

    @Test func `an unreachable server is an error of a single sync`() async throws {
        let (console, _, _) = Console.inMemory()
        let tools = tools(FakeSync(.failure(.unavailable("No connection."))))
        await #expect(throws: DomainError.unavailable("No connection.")) {
            try await SyncNowCommand.parse([]).run(tools, console)
        }
    }

    @Test func `the status tells when the last sync was`() async throws {
        let sync = FakeSync()
        sync.set(
            SyncStatus(pending: 4, rejected: 1, conflicts: 2, lastSyncedAt: clock.now.addingTimeInterval(-90)))
        let (console, output, _) = Console.inMemory(clock: clock)
        try await SyncStatusCommand.parse([]).run(tools(sync), console)
        #expect(
            output.lines == [
                "queued       4", "rejected     1", "conflicts    2", "last synced  2026-11-21 11:58:30Z (90 s ago)",
            ])
    }

    @Test func `a store that never synchronised says so, to programs with null`() async throws {
        let (people, text, _) = Console.inMemory()
        try await SyncStatusCommand.parse([]).run(tools(FakeSync()), people)
        #expect(text.lines.last == "last synced  never")
        let (programs, document, _) = Console.inMemory(json: true)
        try await SyncStatusCommand.parse([]).run(tools(FakeSync()), programs)
        #expect(document.text == #"{"conflicts":0,"last_synced_at":null,"pending":0,"rejected":0}"# + "\n")
    }
}
