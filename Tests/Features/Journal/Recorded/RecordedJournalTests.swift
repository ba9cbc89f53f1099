import ArgumentParser
import FoundationEssentials
import JournalDomain
import JournalPresentation
import JournalService
import StrataDomain
import StrataFeatureTesting
import StrataService
import StrataSystem
import StrataTerminal
import StrataTesting
import Testing

/// Documents and databases that the version of 2026-11-22 wrote. It recorded no authors, so they are left out. `client.sql` has its
/// rows in the tables of the first release.
@Suite struct `What an earlier version recorded of the journal` {
    @Test func `each route of the journal gives the recorded response and writes the recorded rows`() async throws {
        let directory = try TemporaryDirectory()
        let store = try await StoreEngine.sqlite.open(directory.file("data.db"))
        let text = try await withBackend([JournalService()], on: store) { backend in
            var transcript = CallTranscript(backend)
            for requests in [
                JournalRequests.creating, JournalRequests.refused, JournalRequests.reading, JournalRequests.changing,
                JournalRequests.synchronising,
            ] { try await transcript.send(requests) }
            try transcript.note("rows", rows: try await Self.rows(backend.store))
            return transcript.text
        }
        let difference = try recording("routes.txt").difference(from: withoutAuthors(text))
        #expect(difference == nil)
    }

    private static func rows(_ store: any Store) async throws -> [String] {
        try await store.read { reader in
            let entries = try reader.rows(
                """
                SELECT id || ' ' || host || ' ' || severity || ' ' || text || ' ' || occurred_at || ' '
                    || coalesce(runbook_id, '-') || ' ' || version || ' ' || updated_at AS line
                FROM journal_entries ORDER BY id
                """)
            let changes = try reader.rows(
                """
                SELECT collection || ' ' || entity_id || ' ' || version || ' ' || updated_at || ' ' || deleted AS line
                FROM sync_change ORDER BY entity_id
                """)
            let schema = try reader.rows(
                """
                SELECT name || ' ' || type || ' ' || "notnull" || ' ' || pk AS line
                FROM pragma_table_info('journal_entries') WHERE name NOT LIKE 'author%'
                UNION ALL SELECT sql FROM sqlite_master
                    WHERE type = 'index' AND tbl_name = 'journal_entries' AND sql IS NOT NULL
                UNION ALL SELECT name FROM schema_migration WHERE name LIKE 'journal_entries-%'
                """)
            return try (entries + changes + schema).map { try $0.text("line") }
        }
    }

    @Test func `a recorded database of a client is shown as before`() async throws {
        let directory = try TemporaryDirectory()
        try DatabaseText.load(try recording("client.sql").text(), at: directory.file("journal.sqlite"))
        let journal = try await RecordedDevice(directory.file("journal.sqlite")).journal
        var text = ""
        for words in Self.commands {
            for width in [nil, 60, 100] {
                let (console, output, errors) = Console.inMemory(json: words.contains("--json"), width: width)
                let command = try TimeInput.$current.withValue(console.timeInput) {
                    try Root.parseAsRoot(GlobalOptions.movedToTheEnd(words))
                }
                switch command {
                case let list as EntityListCommand<JournalView>: try await list.run(journal.entries, console)
                case let show as EntityShowCommand<JournalView>: try await show.run(journal.entries, console)
                default: Issue.record("\(command)")
                }
                let title = "= \(words.joined(separator: " ")), \(width ?? 0) cells"
                // Notes are wrapped with the name of the test program.
                text += "\(title)\n\(output.text)--\n\(width == nil ? errors.text : "")\n"
            }
        }
        text = text.replacing(ProgramName.current, with: "shiftlog")
        let difference = try recording("commands.txt").difference(from: withoutAuthors(text))
        #expect(difference == nil)
    }

    private static let commands = [
        ["journal", "list"], ["journal", "list", "--json"], ["journal", "list", "--severity", "critical"],
        ["journal", "list", "--since", "13h", "--host", "web1", "--limit", "2"], ["journal", "show", "e1"],
        ["journal", "show", "e1", "--json"], ["journal", "show", "queued"],
    ]

    @Test(.enabled(if: StoreEngine.chosen.isSQLite, "PostgreSQL's versions are not known in advance."))
    func `the tables, rows, outbox and conflicts of a client are the recorded ones`() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("one.sqlite")
        try await withBackend(JournalService()) { backend in
            try await RecordedDevice.fill(path, and: directory.file("two.sqlite"), with: backend)
        }
        let difference = try recording("client.txt").difference(from: withoutAuthors(RecordedDevice.content(path)))
        #expect(difference == nil)
    }
}

private func recording(_ name: String) -> Recording { Recording("Journal/\(name)") }

/// Without the member of documents and the line of `show`.
private func withoutAuthors(_ text: String) throws -> String {
    text.replacing(try Regex("\"author\":\"[^\"]*\",?"), with: "").replacing(try Regex("author    [^\n]*\n"), with: "")
}

private struct Root: ParsableCommand {
    static let configuration = CommandConfiguration(subcommands: [JournalGroup.self, ReportCommand.self])
}
