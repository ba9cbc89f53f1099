import ArgumentParser
import FoundationEssentials
import StrataDomain
import StrataTerminal
import StrataTesting
import Testing

struct SyncWatchTests {
    /// What a watch that meets `events` prints.
    private func run(
        _ events: [SyncWatchEvent], json: Bool = false, then end: DomainError = .cancelled
    ) async -> (output: MemorySink, errors: MemorySink) {
        let tools = SyncTools(sync: FakeSync(), outbox: FakeOutbox(), conflicts: FakeConflicts()) { tell in
            for event in events { tell(event) }
            if end != .cancelled { throw end }
        }
        let (console, output, errors) = Console.inMemory(json: json)
        await #expect(throws: end) { try await SyncNowCommand.parse(["--watch"]).run(tools, console) }
        return (output, errors)
    }

    private var news: SyncReport {
        var report = SyncReport()
        (report.pushed, report.pulled) = (1, 2)
        return report
    }

    @Test func `people see the first round and those that changed something`() async {
        let quiet = SyncWatchEvent.synchronised(SyncReport())
        let (output, errors) = await run([
            quiet, .waiting(phase: "resting", .seconds(60)), quiet, .synchronised(news), quiet,
        ])
        #expect(output.lines == ["sent 0, received 0, merged 0", "sent 1, received 2, merged 0"])
        #expect(errors.text.isEmpty)
    }

    @Test func `a failure is told with the wait behind it`() async {
        let (output, errors) = await run([
            .failed(.unavailable("No connection.")), .waiting(phase: "retrying", .milliseconds(3200)),
        ])
        #expect(output.text.isEmpty)
        #expect(
            errors.lines == [
                "warning: No connection. Trying again in 4 s. What is written here stays queued."
            ])
    }

    @Test func `an ended session asks for a login and goes on`() async {
        let (_, errors) = await run([
            .failed(.unauthorized("The session has ended.")), .waiting(phase: "paused", .seconds(300)),
            .synchronised(SyncReport()),
        ])
        #expect(errors.text.contains("This goes on after '\(ProgramName.current) login', or looks again in 300 s."))
    }

    @Test func `programs get one line for each event`() async {
        let (output, errors) = await run(
            [
                .receiving(rows: 5000), .synchronised(news), .waiting(phase: "resting", .milliseconds(60_250)),
                .failed(.busy("Overloaded.")),
            ], json: true)
        #expect(
            output.lines == [
                #"{"event":"receiving","rows":5000}"#,
                #"{"conflicts":0,"event":"synchronised","merged":0,"pulled":2,"pushed":1,"rejected":0}"#,
                #"{"event":"waiting","phase":"resting","seconds":60.25}"#,
                #"{"code":"busy","event":"failed","message":"Overloaded."}"#,
            ])
        #expect(errors.text.isEmpty)
    }

    @Test func `what waiting cannot help ends it`() async {
        _ = await run([], then: .unauthorized("Nobody is logged in."))
    }

    @Test func `without a watch the loop is not asked`() async throws {
        let tools = SyncTools(sync: FakeSync(), outbox: FakeOutbox(), conflicts: FakeConflicts()) { _ in
            Issue.record("The loop was started.")
        }
        try await SyncNowCommand.parse([]).run(tools, Console.inMemory().console)
    }
}
