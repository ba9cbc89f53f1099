package import ArgumentParser
package import JournalDomain
package import StrataTerminal

/// `journal import FILE|- [--format F] [--host H]`.
package struct JournalImportCommand: JournalCommand {
    package static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Import the lines of a log, or rows as 'export' writes them, as entries.",
        discussion: """
            Lines are stored in batches. After each batch the number of lines that are safely stored is told: on a \
            terminal as progress, otherwise as a line 'accepted N' on standard output. What was accepted stays, also \
            when the import is interrupted.

            Importing a file again adds only what is new. A line with a time is known by its content and host; one without \
            by all such lines before it in the file, so that the same words at the start of two files are one entry. From \
            standard input lines without a time are new each time, and a note says how many.

            A line that cannot be read is reported by its number on standard error, the first 50 of them; the others \
            are imported, and the exit code is then 65. A file that is no text is refused whole.

            With --json the only output is one object: {"accepted", "already_known", "rejected", "failures": \
            [{"line", "reason", "excerpt"}]}.

            csv and ndjson are rows of entries. A row with the id of an entry changes it, one without is a new entry. Every row is \
            checked before the first one is stored; with --json the object is {"created", "updated", "unchanged", "invalid", \
            "dry_run", "flaws": [{"line", "column", "value", "reason"}]}.

            Example: journalctl -o json --since today | shiftlog journal import - --format journald-json
            """)

    @Argument(help: ArgumentHelp("The log; - for standard input.", valueName: "file"), completion: .file())
    package var path: String
    @Option(help: "The format.")
    package var format: ImportFormat = .log(.lines)
    @Option(help: "The host of lines that name none (default: this machine).")
    package var host: String?
    @OptionGroup package var rows: ImportOptions
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func validate() throws {
        if case .rows = format, host != nil {
            throw ValidationError("--host is for logs; the rows of \(format.defaultValueDescription) name their hosts.")
        }
        if case .log = format, rows.dryRun || rows.skipInvalid {
            throw ValidationError("--dry-run and --skip-invalid are for --format csv and ndjson.")
        }
    }

    package func run(_ journal: Journal, _ console: Console) async throws {
        switch format {
        case .log(let format): try await importLog(as: format, journal, console)
        case .rows(let format):
            try await console.importRows(of: path, as: format, rows, to: journal.entries)
            await journal.settle()
        }
    }

    private func importLog(as format: LogFormat, _ journal: Journal, _ console: Console) async throws {
        let source = try DescriptorSource.open(path, or: console.input)
        let progress = ImportProgress(chunks: ByteChunks(source), size: source.size, console: console)
        let summary: ImportSummary
        do {
            summary = try await journal.importLog(
                progress.chunks, as: format, host: host ?? console.hostName, isFile: path != "-",
                progress: progress.advance)
            progress.finish()
        } catch {
            progress.stop()
            throw error
        }
        await journal.settle()
        try console.report(summary)
        if let caution = ImportProgress.caution(summary) { console.note(caution) }
        if summary.failed > 0 { throw CommandFailure(.rejected) }
    }
}

extension Console {
    fileprivate func report(_ summary: ImportSummary) throws {
        if isJSON { return try json(ImportView(summary)) }
        for failure in summary.failures {
            warn("Line \(failure.line) \(failure.reason): \(failure.excerpt)")
        }
        let untold = summary.failed - summary.failures.count
        if untold > 0 { warn("\(untold) more lines cannot be read.") }
        out("done: \(summary.accepted) accepted, \(summary.alreadyKnown) already known, \(summary.failed) rejected")
    }
}

/// What an import did, for programs.
private struct ImportView: Encodable {
    var accepted: Int
    var alreadyKnown: Int
    var rejected: Int
    /// The first 50.
    var failures: [LineFailure]

    init(_ summary: ImportSummary) {
        accepted = summary.accepted
        alreadyKnown = summary.alreadyKnown
        rejected = summary.failed
        failures = summary.failures
    }
}
