import FoundationEssentials
import GRDB
import JournalDomain
import Logging
import StrataDomain
import StrataOffline
import StrataTesting
import Testing

/// A snapshot writes journal entries by their columns, a page by the row's `init`: both must leave the same rows.
@Suite struct JournalSnapshotTests {
    private static let entry: [String: JSONValue] = [
        "host": .string("web1"), "severity": .string("info"), "text": .string("Disk full"),
        "occurred_at": .string("2026-11-21T09:05:00.250Z"),
    ]

    private static let entries: [[String: JSONValue]] = [
        [:], ["severity": .string("critical")], ["severity": .string("odd")], ["severity": .integer(3)],
        ["runbook_id": .string("r1")], ["runbook_id": .null], ["runbook_id": .integer(7)],
        ["text": .string("„quoted“ \"text\"\nwith\ttabs \\ and 🚢")], ["text": .string("")],
        ["occurred_at": .string("2026-11-21T10:05:00+01:00")], ["occurred_at": .string("1969-12-31T23:59:59.999Z")],
        ["occurred_at": .string("soon")], ["later": .array([.integer(1)])], ["host": .null],
    ]

    @Test func `the columns of an entry say what its mapping does`() async throws {
        let rows = Self.entries.enumerated().map { number, fields in
            SyncChange(
                collection: EntityRow<JournalEntry>.collectionName, id: "e\(100 + number)", version: number + 1,
                updatedAt: Date(timeIntervalSince1970: 1_795_262_400 + Double(number) / 8), operation: .put,
                data: Self.entry.merging(fields) { $1 }.filter { $0.value != .null || $0.key == "runbook_id" })
        }
        let fast = try await stored(OneAnswer(rows: rows, hasSnapshot: true))
        let slow = try await stored(OneAnswer(rows: rows, hasSnapshot: false))
        #expect(fast == slow)
        #expect(fast.count > 20)
    }

    private func stored(_ client: OneAnswer) async throws -> [String] {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let quiet = Logger.silent
        let database = try await OfflineDatabase.open(
            at: directory.file("journal.sqlite"), collections: [EntityRow<JournalEntry>.collection], log: quiet)
        _ = try await SyncEngine(
            database: database, client: client, settings: .init(verifiedRows: 0), log: quiet
        ).sync()
        let rows = try await OfflineStore(database: database).read { db in
            try ["journal_entries", "base_row"].flatMap { table in
                try Row.fetchAll(db, sql: "SELECT * FROM \(table) ORDER BY 1, 2").map { "\(table) \($0)" }
            }
        }
        try await database.close()
        return rows
    }
}

/// A server that shows the same rows in whichever way it is asked.
private struct OneAnswer: APIClient {
    let rows: [SyncChange]
    let hasSnapshot: Bool

    func response<E: Endpoint>(
        to endpoint: E, options: CallOptions
    ) async throws(NetworkError) -> APIResponse<E.Response> {
        guard let pull = endpoint as? PullChanges else { throw NetworkError(.notFound(nil)) }
        let page = ChangesPage(
            changes: pull.cursor == nil ? rows : [], cursor: "end", hasMore: false, isReplacement: pull.cursor == nil,
            upTo: 99)
        guard let value = page as? E.Response else { throw NetworkError(.notFound(nil)) }
        return APIResponse(head: ResponseHead(status: 200), value: value)
    }

    func stream<E: Endpoint, Result: Sendable>(
        _ endpoint: E, options: CallOptions,
        receive:
            @escaping @Sendable (ResponseHead, any AsyncSequence<Data, any Error> & Sendable) async throws -> Result
    ) async throws(NetworkError) -> Result {
        guard hasSnapshot else { throw NetworkError(.notFound(nil)) }
        do {
            var text = ""
            for row in rows {
                let data = String(decoding: try WireJSON.encode(row.data ?? [:]), as: UTF8.self)
                let at = Int((row.updatedAt.timeIntervalSince1970 * 1000).rounded())
                text += "[\"\(row.collection)\",\"\(row.id)\",\(row.version),\(at),\(data)]\n"
            }
            text += "{\"cursor\":\"end\",\"rows\":\(rows.count),\"up_to\":99}\n"
            let (pieces, continuation) = AsyncThrowingStream.makeStream(of: Data.self)
            continuation.yield(Data(text.utf8))
            continuation.finish()
            return try await receive(ResponseHead(status: 200), pieces)
        } catch {
            throw NetworkError(.unexpected("\(error)"))
        }
    }
}
