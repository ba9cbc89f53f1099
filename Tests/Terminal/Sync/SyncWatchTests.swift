import ArgumentParser
import FoundationEssentials
import StrataDomain
import StrataSystem
import StrataTesting
import Testing

@testable import StrataTerminal

struct SyncWatchTests {
    /// The output of a watch with `events`.
    private func run(
        _ events: [SyncWatchEvent], json: Bool = false, then end: DomainError = .cancelled, width: Int? = nil
    ) async -> (output: MemorySink, errors: MemorySink) {
        let tools = SyncTools(sync: FakeSync(), outbox: FakeOutbox(), conflicts: FakeConflicts()) { tell in
            for event in events { tell(event) }
            throw end
        }
        let clock = ManualWallClock(.noon)
        let (console, output, errors) = Console.inMemory(json: json, width: width, clock: clock)
        do {
            try await SyncNowCommand.parse(["--watch"]).run(tools, console)
            Issue.record("It ended well.")
        } catch {
            if end == .cancelled {
                #expect(console.fail(error) == .interrupted)
            } else {
                #expect(error as? DomainError == end)
            }
        }
        return (output, errors)
    }

    private let began = "Watching for what is written here or on the server; Ctrl-C ends it."

    private var news: SyncReport {
        var report = SyncReport()
        (report.pushed, report.pulled) = (1, 2)
        return report
    }

    @Test func `a watch prints its first round and those that changed something`() async {
        let quiet = SyncWatchEvent.synchronised(SyncReport())
        let (output, errors) = await run([
            quiet, .waiting(phase: "resting", .seconds(60)), quiet, .synchronised(news), quiet,
        ])
        #expect(output.lines == ["12:00:00  sent 0, received 0, merged 0", "12:00:00  sent 1, received 2, merged 0"])
        #expect(errors.lines == [began])
    }

    @Test func `a failure is printed with the wait that follows`() async {
        let (output, errors) = await run([
            .failed(.unavailable("No connection")), .waiting(phase: "retrying", .milliseconds(3200)),
        ])
        #expect(output.text.isEmpty)
        #expect(
            errors.lines == [
                began, "warning: No connection. Trying again in 4 s. What is written here stays queued.",
            ])
    }

    @Test func `an ended session asks for a login and goes on`() async {
        let (_, errors) = await run([
            .failed(.unauthorized("The session has ended.")), .waiting(phase: "paused", .seconds(300)),
            .synchronised(SyncReport()),
        ])
        #expect(errors.text.contains("This goes on after '\(ProgramName.current) login', or looks again in 300 s."))
    }

    @Test func `with --json each event is one line`() async {
        let (output, errors) = await run(
            [
                .progress(.receiving(5000)), .progress(.sending(3, of: 9)), .synchronised(news),
                .waiting(phase: "resting", .milliseconds(60_250)),
                .failed(.busy("Overloaded.")),
            ], json: true)
        #expect(
            output.lines == [
                #"{"event":"receiving","rows":5000}"#,
                #"{"event":"sending","queued":9,"sent":3}"#,
                #"{"conflicts":0,"event":"synchronised","merged":0,"received":2,"rejected":0,"sent":1}"#,
                #"{"event":"waiting","phase":"resting","seconds":60.25}"#,
                #"{"code":"busy","event":"failed","message":"Overloaded."}"#,
            ])
        #expect(errors.text.isEmpty)
    }

    @Test func `a failure that a retry cannot solve ends the watch`() async {
        _ = await run([], then: .unauthorized("Nobody is logged in."))
    }

    @Test func `a sync without --watch does not start the loop`() async throws {
        let tools = SyncTools(sync: FakeSync(), outbox: FakeOutbox(), conflicts: FakeConflicts()) { _ in
            Issue.record("The loop was started.")
        }
        try await SyncNowCommand.parse([]).run(tools, Console.inMemory().console)
    }

    @Test func `an interrupted watch prints nothing more`() async {
        #expect(await run([]).errors.lines == [began])
        let (output, errors) = await run([], json: true)
        #expect(output.text.isEmpty && errors.text.isEmpty)
    }

    @Test func `a round has a progress bar, which is removed at the end`() async {
        let (_, errors) = await run(
            [
                .progress(.sending(1200, of: 5000)), .progress(.receiving(30)), .synchronised(SyncReport()),
                .progress(.receiving(7)),
            ], width: 80)
        let drawn = errors.text.components(separatedBy: "\r\u{1B}[K").dropFirst()
        #expect(
            Array(drawn) == [
                "sync ████░░░░░░░░░░░░░░░░ 24 %  1,200 of 5,000 sent",
                "sync ████░░░░░░░░░░░░░░░░ 24 %  1,200 of 5,000 sent, 30 received", "", "sync  7 received", "",
            ])
    }
}
