import FoundationEssentials
import StrataDomain
import StrataFeatureTesting
import StrataSQLite
import StrataTesting
import Testing

@testable import StrataService

@Suite struct `Pages` {
    /// Texts whose JSON is shorter, as long, and longer than they are.
    private static let texts = [
        "", "plain", "ünïcødé 🌊", "\"quoted\" and \\", "a\nb\tc\r", String(repeating: "\u{1}", count: 50), "/slash/",
        "\u{7F}\u{2028}",
    ]

    @Test(arguments: texts)
    func `a size is never below that of the JSON`(text: String) throws {
        let members: [String: JSONValue] = [
            "text": .string(text),
            "list": .array([.string(text), .integer(.min), .number(-1.5e300), .null, .bool(false)]),
            text: .object(["a": .string(text)]),
        ]
        #expect(try JSONSize.of(text) == WireJSON.encode(text).count)
        #expect(try JSONSize.of(members) >= WireJSON.encode(members).count)
    }

    /// How the list is cut when each row has so many bytes of text.
    private func pages(_ sizes: [Int], limit: Int) async throws -> [[String]] {
        try await withTemporaryDirectory { directory in
            let store = try await StoreEngine.chosen.open(directory + "/pages.db")
            try await store.write { transaction in
                try transaction.execute("CREATE TABLE page (id TEXT, text TEXT)")
                for (index, size) in sizes.enumerated() {
                    let text = String(repeating: "x", count: size)
                    try transaction.execute("INSERT INTO page (id, text) VALUES (\("\(100 + index)"), \(text))")
                }
            }
            var pages: [[String]] = []
            var cursor: String?
            repeat {
                let after = try cursor.map { try KeysetCursor($0, for: "pages", count: 1).values[0] } ?? ""
                let page = try await store.read { reader in
                    try reader.page(
                        of: "pages", "SELECT id, text FROM page WHERE id > \(after) ORDER BY id", limit: limit
                    ) {
                        try $0.text("id")
                    } cursor: {
                        KeysetCursor($0)
                    }
                }
                pages.append(page.items)
                cursor = page.nextCursor
            } while cursor != nil && pages.count < 100
            try await StoreEngine.close(store)
            return pages
        }
    }

    @Test func `a page ends before the row that would exceed 1 MiB, and the next page begins with that row`()
        async throws
    {
        let third = PageLimit.bytes / 3
        #expect(try await pages([third, third, third, 10], limit: 10) == [["100", "101"], ["102", "103"]])
    }

    @Test func `a row larger than a page is a page`() async throws {
        let large = PageLimit.bytes + 1
        #expect(try await pages([large, 1, large, large], limit: 10) == [["100"], ["101"], ["102"], ["103"]])
    }

    @Test func `no row after the page is read`() async throws {
        try await withTemporaryDirectory { directory in
            let store = try await SQLiteStore.open(SQLiteLocation(path: directory + "/pages.db"))
            let seen = try await store.read { reader in
                var seen: [Int] = []
                let endless: Statement =
                    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
                try reader.forEachRow(of: endless) { row in
                    seen.append(try row.int("i"))
                    return seen.count < 3
                }
                return seen
            }
            #expect(seen == [1, 2, 3])
            try await store.close()
        }
    }
}
