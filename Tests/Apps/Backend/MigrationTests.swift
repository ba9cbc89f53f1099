import StrataServerProgram
import StrataService
import Testing

@testable import shiftlog_server

@Suite struct `Migrations of the backend` {
    @Test func `a table refers to tables that were made before it`() async throws {
        var made: Set<String> = []
        var references = 0
        for statement in try await migrations().flatMap(\.statements) {
            if let table = names(after: "CREATE TABLE", in: statement).first { made.insert(table) }
            for table in names(after: "REFERENCES", in: statement) {
                references += 1
                #expect(made.contains(table), "\(statement)")
            }
        }
        #expect(references > 0 && made.count > references, "nothing was looked at")
    }

    @Test func `a migration only adds, so that an older replica works on beside it`() async throws {
        var additions = 0
        for statement in try await migrations().flatMap(\.statements) {
            let words = statement.uppercased().split { !$0.isLetter && $0 != "_" }.map(String.init)
            #expect(words[0] != "DROP", "\(statement)")
            guard words[0] == "ALTER" else { continue }
            additions += 1
            #expect(words[1] == "TABLE" && words.dropFirst(3).starts(with: ["ADD", "COLUMN"]), "\(statement)")
            #expect(!words.contains("NOT") || words.contains("DEFAULT"), "\(statement)")
        }
        #expect(additions > 0, "nothing was looked at")
    }

    private func migrations() async throws -> [StoreMigration] {
        try await ShiftlogServer.program.service(environment: ["HOME": "/nowhere"]).migrations
    }

    /// The word behind each `words`.
    private func names(after words: String, in statement: String) -> [String] {
        let parts = statement.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
        return parts.split(separator: "\(words) ", omittingEmptySubsequences: false).dropFirst().map { rest in
            String(rest.prefix { $0.isLetter || $0 == "_" || $0.isNumber })
        }
    }
}
