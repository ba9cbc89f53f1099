import ArgumentParser
import FoundationEssentials
import StrataDomain
import StrataTesting
import Testing

@testable import StrataTerminal

struct SyncCommandTests {
    private let clock = ManualWallClock(.noon)

    private func tools(_ sync: FakeSync) -> SyncTools {
        SyncTools(sync: sync, outbox: FakeOutbox(), conflicts: FakeConflicts())
    }

    private func report(_ edit: (inout SyncReport) -> Void) -> SyncReport {
        var report = SyncReport()
        edit(&report)
        return report
    }

    @Test func `a sync prints its counts and the open conflicts`() async throws {
        let sync = FakeSync(.success(report { ($0.pushed, $0.pulled, $0.conflicts, $0.rejected) = (3, 12, 1, 2) }))
        let (console, output, errors) = Console.inMemory()
        try await SyncNowCommand.parse([]).run(tools(sync), console)
        #expect(output.text == "sent 3, received 12, merged 0\n")
        #expect(errors.lines.count == 2)
        #expect(errors.text.contains("1 in conflict") && errors.text.contains("2 rejected"))
    }

    @Test func `a sync with --json is one document`() async throws {
        let (console, output, errors) = Console.inMemory(json: true)
        try await SyncNowCommand.parse([]).run(tools(FakeSync(.success(report { $0.pushed = 1 }))), console)
        #expect(output.text == #"{"conflicts":0,"merged":0,"received":0,"rejected":0,"sent":1}"# + "\n")
        #expect(errors.text.isEmpty)
    }

    @Test func `every sync warns of open conflicts`() async throws {
        let sync = FakeSync(.success(SyncReport()))
        sync.set(SyncStatus(pending: 2, rejected: 1, conflicts: 3, lastSyncedAt: nil))
        let (console, output, errors) = Console.inMemory()
        try await SyncNowCommand.parse([]).run(tools(sync), console)
        #expect(output.text == "sent 0, received 0, merged 0\n")
        #expect(errors.text.contains("3 in conflict") && errors.text.contains("conflicts list"))
        #expect(errors.text.contains("1 rejected") && errors.text.contains("2 still to be sent"))
    }

    struct Failing: Sendable {
        let error: DomainError
        let status: ExitStatus
        let step: String
    }

    @Test(arguments: [
        Failing(error: .unavailable("no connection: refused"), status: .unavailable, step: "sync' again"),
        Failing(error: .busy("timed out"), status: .tryLater, step: "sync' again"),
        Failing(error: .unauthorized("not logged in"), status: .noPermission, step: "login'"),
        Failing(error: .storage("No space left."), status: .cannotWrite, step: "No space left."),
        Failing(error: .forbidden("It belongs to 'ada'."), status: .noPermission, step: "'ada'"),
    ])
    func `a failed sync names the unsent writes, that they are safe, and the next step`(failing: Failing) async throws {
        let sync = FakeSync(.failure(failing.error))
        sync.set(SyncStatus(pending: 3, rejected: 0, conflicts: 0, lastSyncedAt: nil))
        let (console, _, _) = Console.inMemory()
        let error = await #expect(throws: DomainError.self) {
            try await SyncNowCommand.parse([]).run(tools(sync), console)
        }
        #expect(error.map(ExitStatus.init) == failing.status)
        let text = error?.description ?? ""
        #expect(
            text.contains("3 writes wait to be sent; they are safe here.") && text.contains(failing.step), "\(text)")
    }

    @Test func `an interrupted sync keeps its error`() async throws {
        let (console, _, _) = Console.inMemory()
        let tools = tools(FakeSync(.failure(.cancelled)))
        await #expect(throws: DomainError.cancelled) { try await SyncNowCommand.parse([]).run(tools, console) }
    }

    @Test func `the status has the time of the last sync`() async throws {
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

    @Test func `a store that never synchronised is 'never', or null with --json`() async throws {
        let (people, text, _) = Console.inMemory()
        try await SyncStatusCommand.parse([]).run(tools(FakeSync()), people)
        #expect(text.lines.last == "last synced  never")
        let (programs, document, _) = Console.inMemory(json: true)
        try await SyncStatusCommand.parse([]).run(tools(FakeSync()), programs)
        #expect(document.text == #"{"conflicts":0,"last_synced_at":null,"pending":0,"rejected":0}"# + "\n")
    }
}
