import FoundationEssentials
import StrataConcurrency
import StrataDomain
import StrataFeatureTesting
import StrataService
import StrataTesting
import Testing

/// A change of the data of an entity.
@Suite(.timeLimit(.minutes(5))) struct RewriteTests {
    private static let ends = Mutex(0)

    struct Memo: Entity {
        static let noun = "memo"
        static let collection = "memos"
        static let ownership = Ownership.author
        static let fields: [EntityField<Memo>] = [.init("text", \.text, .line(1...40))]
        var text: String
    }

    struct LoudMemo: Entity {
        static let noun = "memo"
        static let collection = "memos"
        static let ownership = Ownership.author
        static let fields: [EntityField<LoudMemo>] = [.init("text", \.text, .line(1...40))]
        static let rewrites: [EntityRewrite<LoudMemo>] = [
            .init("loud") { memo in
                if memo.text == "memo 150", RewriteTests.ends.withLock({ $0 > 0 }) { throw CancellationError() }
                memo.text = memo.text.uppercased()
            }
        ]
        var text: String
    }

    struct GrowingMemo: Entity {
        static let noun = "memo"
        static let collection = "memos"
        static let ownership = Ownership.author
        static let fields: [EntityField<GrowingMemo>] = [.init("text", \.text, .line(1...40))]
        static let rewrites: [EntityRewrite<GrowingMemo>] = [
            .init("longer") { $0.text += "!" },
            .init("none") { memo in if memo.text == "b" { memo.text = "" } },
        ]
        var text: String
    }

    private let directory: TemporaryDirectory
    init() throws { directory = try TemporaryDirectory() }

    private func write(_ texts: [String], at path: String) async throws {
        try await withBackend(ParcelsService<Memo>(), at: path) { backend in
            let client = try backend.client()
            for text in texts { _ = try await client.send(CreateEntity(Memo(text: text))) }
        }
    }

    @Test func `a rewrite that was interrupted goes on, passes each row once, and ends`() async throws {
        let path = directory.file("memos.db")
        try await write((1...230).map { "memo \($0)" }, at: path)
        Self.ends.withLock { $0 = 1 }
        let before = try await withBackend(ParcelsService<LoudMemo>(), at: path) { backend in
            await #expect(throws: CancellationError.self) { try await backend.workOnRows() }
            return try await Self.memos(backend)
        }
        // A batch that is not complete leaves nothing.
        #expect(before.filter { $0.text.hasPrefix("MEMO") }.count == 100)
        Self.ends.withLock { $0 = 0 }
        try await withBackend(ParcelsService<LoudMemo>(), at: path) { backend in
            try await backend.workOnRows()
            let after = try await Self.memos(backend)
            #expect(after.count == 230 && after.allSatisfy { $0.text.hasPrefix("MEMO") })
            let versions = Dictionary(uniqueKeysWithValues: after.map { ($0.id, $0.version) })
            for memo in before { #expect((versions[memo.id] == memo.version) == memo.text.hasPrefix("MEMO")) }
            let row = try await backend.store.read { try $0.row("SELECT changed, ended FROM row_work") }
            #expect(try row?.int("changed") == 230 && row?.bool("ended") == true)

            // What is written later stays as it is.
            let quiet = try await backend.client().send(CreateEntity(LoudMemo(text: "quiet")))
            try await backend.workOnRows()
            #expect(try await backend.client().send(GetEntity<LoudMemo>(id: quiet.id)).text == "quiet")
        }
    }

    @Test func `a row that the rewrite would change again, or spoil, is left and told`() async throws {
        let path = directory.file("growing.db")
        try await write(["a", "b"], at: path)
        try await withBackend(ParcelsService<GrowingMemo>(), at: path) { backend in
            try await backend.workOnRows()
            #expect(try await Self.memos(backend).map(\.text).sorted() == ["a", "b"])
            let told = try await backend.store.read {
                try $0.rows("SELECT name, reason FROM row_work_refusal ORDER BY name, reason")
            }
            #expect(try told.map { try $0.text("name") } == ["rewrite longer", "rewrite longer", "rewrite none"])
            #expect(try told.first?.text("reason").contains("changes its own result again") == true)
            #expect(try told.last?.text("reason").contains("The memo was not accepted") == true)
        }
    }

    private static func memos(_ backend: InProcessBackend) async throws -> [Stored<LoudMemo>] {
        let client = try backend.client()
        var (memos, cursor): ([Stored<LoudMemo>], String?) = ([], nil)
        repeat {
            let page = try await client.send(ListEntities<LoudMemo>(cursor: cursor, limit: 100))
            memos += page.items
            cursor = page.nextCursor
        } while cursor != nil
        return memos
    }
}
