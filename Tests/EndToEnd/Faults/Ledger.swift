import Foundation
import GRDB

/// Looks into the databases of one home and of the server, past both programs, for promises that were broken.
struct Ledger: Sendable {
    let home: String
    let server: String

    init(_ workspace: Workspace, home: String = "home") {
        self.home = "\(workspace.root)/\(home)/state/journal/default.sqlite"
        server = "\(workspace.root)/server.sqlite"
    }

    /// What one side shows of a journal entry.
    struct Entry: Hashable, Sendable {
        var id: String
        var host: String
        var severity: String
        var text: String
        var version: Int
    }

    /// Sentences about what must not be; true at any moment, also right after a kill.
    ///
    /// - Parameter acknowledged: Ids of entries that the client said are stored, and that nobody deleted.
    func problems(acknowledged: some Collection<String>) throws -> [String] {
        // The server's side last: what it has then may have arrived since, never the other way round.
        var local = Local()
        do {
            if FileManager.default.fileExists(atPath: home) { local = try client { try Local($0) } }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_READONLY {
            // Half made, with a journal that only a writer may roll back: so far it has nothing.
        }
        let remote = try read(server) { try Remote($0) }
        var problems = local.problems + remote.problems
        for id in acknowledged.sorted() where !local.queued.contains(id) && remote.rows[id] == nil {
            problems.append("the acknowledged entry \(id) is lost")
        }
        for id in acknowledged.sorted() where !local.shown.contains(id) {
            problems.append("the acknowledged entry \(id) is not shown")
        }
        guard let cursor = local.cursor, !cursor.isReplacement else { return problems }
        for (id, row) in remote.rows.sorted(by: { $0.key < $1.key }) where row.version <= cursor.after {
            let known = local.known[id]
            let isBehind =
                row.isDeleted
                ? (known ?? row.version) < row.version && !local.queued.contains(id) : (known ?? 0) < row.version
            if isBehind {
                problems.append("the cursor is at \(cursor.after), but \(id) is not here in version \(row.version)")
            }
        }
        return problems
    }

    /// What waits in the outbox and in the list of conflicts.
    func waiting() throws -> Int {
        try client { db in
            try Int.fetchOne(db, sql: "SELECT (SELECT COUNT(*) FROM outbox) + (SELECT COUNT(*) FROM conflict)") ?? -1
        }
    }

    /// Rows as people see them at home.
    func localEntries() throws -> [Entry] { try client { try Self.entries("journal_entries", $0) } }
    /// Rows as the server has them.
    func remoteEntries() throws -> [Entry] { try read(server) { try Self.entries("journal_entries", $0) } }

    /// Runs `body` on the database of the home, for reading only.
    func client<Value>(_ body: (Database) throws -> Value) throws -> Value { try read(home, body) }

    private static func entries(_ table: String, _ db: Database) throws -> [Entry] {
        let sql = "SELECT id, host, severity, text, version FROM \(table) ORDER BY id"
        return try Row.fetchAll(db, sql: sql).map {
            Entry(id: $0[0], host: $0[1], severity: $0[2], text: $0[3], version: $0[4])
        }
    }

    private func read<Value>(_ path: String, _ body: (Database) throws -> Value) throws -> Value {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(10)
        return try DatabaseQueue(path: path, configuration: configuration).read(body)
    }

    /// The client's side.
    private struct Local {
        var queued: Set<String> = []
        var shown: Set<String> = []
        /// The newest version of the server's that is known of each row.
        var known: [String: Int] = [:]
        var cursor: Cursor?
        var problems: [String] = []

        init() {}

        init(_ db: Database) throws {
            if try String.fetchOne(db, sql: "PRAGMA integrity_check") != "ok" { problems.append("damage at home") }
            // Killed while it was made: then nothing was acknowledged either.
            guard try db.tableExists("journal_entries"), try db.tableExists("cursor") else { return }
            queued = Set(try String.fetchAll(db, sql: "SELECT entity_id FROM outbox"))
            shown = Set(try String.fetchAll(db, sql: "SELECT id FROM journal_entries"))
            for table in ["base_row", "deferred_row", "conflict"] {
                for row in try Row.fetchAll(db, sql: "SELECT entity_id, version FROM \(table)") {
                    known[row[0]] = max(known[row[0]] ?? 0, row[1])
                }
            }
            cursor = try String.fetchOne(db, sql: "SELECT cursor FROM cursor").map { try Cursor($0) }
            // A row without a base row and without a queue belongs to nothing.
            let strangers = shown.subtracting(queued).subtracting(
                try String.fetchAll(db, sql: "SELECT entity_id FROM base_row"))
            if !strangers.isEmpty { problems.append("rows that belong to nothing: \(strangers.sorted())") }
        }
    }

    /// The server's side.
    private struct Remote {
        struct Row {
            var version: Int
            var isDeleted: Bool
        }
        var rows: [String: Row] = [:]
        var problems: [String] = []

        init(_ db: Database) throws {
            if try String.fetchOne(db, sql: "PRAGMA integrity_check") != "ok" {
                problems.append("damage at the server")
            }
            let changes = "SELECT entity_id, version, deleted FROM sync_change WHERE collection = 'journal_entries'"
            for row in try GRDB.Row.fetchAll(db, sql: changes) {
                rows[row[0]] = Row(version: row[1], isDeleted: row[2])
            }
            let twice = "SELECT text FROM journal_entries GROUP BY text HAVING COUNT(*) > 1"
            for text in try String.fetchAll(db, sql: twice) { problems.append("'\(text)' is on the server twice") }
            // Nothing but mutations writes in these tests: each one that has an effect takes one version, and leaves its
            // result in the same transaction.
            let effects = try Int.fetchAll(
                db,
                sql: """
                    SELECT json_extract(result, '$.version') FROM sync_mutation
                    WHERE json_extract(result, '$.status') = 'applied'
                    """)
            guard try Int.fetchOne(db, sql: "SELECT base FROM sync_meta") == 0 else {
                try compareVersions(of: effects, db)
                return
            }
            let seq = try Int.fetchOne(db, sql: "SELECT seq FROM sync_meta")
            if effects.count != seq {
                problems.append("\(effects.count) mutations are in effect, \(seq ?? -1) versions taken")
            }
        }

        /// Where writers run side by side there is no counter, and versions have gaps: each names its transaction.
        private mutating func compareVersions(of effects: [Int], _ db: Database) throws {
            let known = Set(effects)
            if known.count != effects.count {
                problems.append("\(effects.count - known.count) versions belong to two mutations")
            }
            for row in try GRDB.Row.fetchAll(db, sql: "SELECT entity_id, version FROM sync_change ORDER BY entity_id") {
                let (id, version): (String, Int) = (row[0], row[1])
                if !known.contains(version) { problems.append("no mutation gave \(id) the version \(version)") }
            }
        }
    }

    /// What the server wrote into a cursor.
    private struct Cursor {
        var after: Int
        var isReplacement: Bool

        init(_ text: String) throws {
            var base64 = text.replacing("-", with: "+").replacing("_", with: "/")
            base64 += String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
            let sealed = Data(base64Encoded: base64) ?? Data()
            let parts = sealed.dropFirst(8).split(separator: 0, omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
            guard parts.count == 6, let after = Int(parts[3]) else { throw EndToEndError("no cursor: \(text)") }
            (self.after, isReplacement) = (after, parts[5] == "r")
        }
    }
}
