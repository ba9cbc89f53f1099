import ArgumentParser
import FoundationEssentials
import StrataDomain
import StrataSystem

/// `sync [--watch]`.
///
/// A watch ends when it is cancelled, or with an error that a retry cannot solve.
struct SyncNowCommand: SyncConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "now", abstract: "Synchronise once, or continuously with --watch.",
        discussion: """
            With --watch it synchronises after each local write, after changes on the server, when the network returns, after \
            a login, and every minute, until it is interrupted (exit code 130). While the server is unreachable it prints \
            a warning and retries after at most five minutes; writes stay queued. \
            With --json each event is one line, its name in 'event'.

            With --json and without --watch: {"sent", "received", "merged", "conflicts", "rejected"}.

            Example: \(ProgramName.current) sync --watch
            """)

    @Flag(help: "Continue until interrupted.")
    var watch = false
    @OptionGroup var options: GlobalOptions

    /// A watch has none; its requests have.
    var timeLimit: Duration? { watch ? nil : options.deadline }

    func run(_ sync: SyncTools, _ console: Console) async throws {
        if watch {
            let printer = SyncWatchPrinter(console: console)
            printer.begin()
            do { try await sync.watch { printer.tell($0) } } catch DomainError.cancelled {}
            printer.end()
            // Cancellation is the regular end and prints nothing.
            throw CommandFailure(.interrupted)
        }
        var report: SyncReport
        do throws(DomainError) { report = try await sync.sync.sync() } catch {
            // Without a count no line is printed.
            guard let status = try? await sync.sync.status() else { throw error }
            throw error.ofSync(waiting: status.pending)
        }
        if console.isJSON { return try console.report(report) }
        // Every run reports open conflicts, not only the run that found them.
        let status = try await sync.sync.status()
        report.conflicts = max(report.conflicts, status.conflicts)
        report.rejected = max(report.rejected, status.rejected)
        try console.report(report)
        if status.pending > 0 {
            console.note(
                "\(status.pending) still to be sent; '\(ProgramName.current) outbox list' shows what they wait for.")
        }
    }
}

/// `sync status`.
struct SyncStatusCommand: SyncConsoleCommand {
    static let configuration = CommandConfiguration(
        "status", "Show the state of the local store without asking the server.", example: "sync status")

    @OptionGroup var options: GlobalOptions

    func run(_ sync: SyncTools, _ console: Console) async throws {
        let status = try await sync.sync.status()
        let document: JSONDocument = [
            "pending": status.pending, "rejected": status.rejected, "conflicts": status.conflicts,
            "last_synced_at": status.lastSyncedAt ?? JSONValue.null,
        ]
        try console.show(document) {
            let last = status.lastSyncedAt.map { date in
                "\(console.times.point(date)) (\(TimeText.age(of: date, at: console.clock.now)) ago)"
            }
            console.fields([
                ("queued", "\(status.pending)"), ("rejected", "\(status.rejected)"),
                ("conflicts", "\(status.conflicts)"), ("last synced", last ?? "never"),
            ])
        }
    }
}

extension Console {
    /// Prints the result of one run of the engine, and the open conflicts.
    ///
    /// - Parameter date: The end of the run, printed before the line; `nil` for now.
    func report(_ report: SyncReport, at date: Date? = nil) throws {
        if isJSON { return try json(report) }
        let time = date.map { "\(times.clock($0))  " } ?? ""
        out("\(time)sent \(report.pushed), received \(report.pulled), merged \(report.merged)")
        if report.conflicts > 0 {
            warn("\(report.conflicts) in conflict; '\(ProgramName.current) conflicts list' shows them.")
        }
        if report.rejected > 0 { warn("\(report.rejected) rejected; '\(ProgramName.current) outbox list' shows them.") }
    }
}
