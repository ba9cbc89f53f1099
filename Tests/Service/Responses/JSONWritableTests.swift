import FoundationEssentials
import StrataDomain
import StrataFeatureTesting
import StrataTesting
import Testing

@testable import StrataService

/// Responses that write their own JSON have the document of the encoder.
@Suite struct JSONWritableTests {
    struct Buoy: Entity {
        static let noun = "buoy"
        static let collection = "buoys"
        static let recordsAuthor = true
        static let fields: [EntityField<Buoy>] = [
            .init("name", \.name), .init("depth", \.depth), .init("is_lit", \.isLit), .init("seen_at", \.seenAt),
            .init("count", \.count), .init("remark", \.remark),
        ]

        var name: String
        var depth: Double
        var isLit: Bool
        var seenAt: Date
        var count: Int
        var remark: String?
    }

    private static let buoys: [Stored<Buoy>] = [
        Stored(
            id: Identifier("a/b"),
            Buoy(
                name: "quote \" slash / back \\ line \n tab \t 🌊 é", depth: 1.5, isLit: true,
                seenAt: Date(timeIntervalSince1970: 1_795_251_600.25), count: -3, remark: "x"),
            version: 7, updatedAt: Date(timeIntervalSince1970: 0), author: "ada"),
        Stored(
            id: Identifier("2"),
            Buoy(
                name: "", depth: 1e21, isLit: false, seenAt: Date(timeIntervalSince1970: -1), count: .max, remark: nil),
            version: 0, updatedAt: Date(timeIntervalSince1970: 1), author: nil, syncState: .queued),
    ]

    @Test(arguments: buoys) func `an entity is written as it is encoded`(_ buoy: Stored<Buoy>) throws {
        var text = JSONText()
        try Stored<Buoy>.writer(buoy, &text)
        #expect(text.text == String(decoding: try WireJSON.encode(buoy), as: UTF8.self))
    }

    @Test func `rows are written as their entities are encoded, alone and as a page`() async throws {
        try await withTemporaryDirectory { directory in
            let store = try await StoreEngine.chosen.open(directory + "/buoys.db")
            let table = EntityTable<Buoy>(versions: .row)
            try await store.migrate(table.migrations)
            let caller = Principal.user(.init(id: "ada", username: "ada", isAdmin: false, sessionId: "s"))
            let entities = try await store.write { transaction in
                try Self.buoys.enumerated().map { place, buoy in
                    let id = Identifier<Buoy>("\(place)\u{1F30A}/")
                    let draft = EntityDraft(try buoy.content.wireFields(), id: id)
                    return try table.create(draft, by: caller, at: Sample.now, in: transaction)
                }
            }
            for entity in entities {
                let json = try await store.read { try table.json(entity.id, for: caller, in: $0) }
                #expect(json.text.text == String(decoding: try WireJSON.encode(entity), as: UTF8.self))
                #expect(json.tag == entity.entityTag)
            }
            for limit in [1, 2] {
                let json = try await store.read {
                    try table.page(EntityQuery<Buoy>(limit: limit), after: nil, for: caller, in: $0)
                }
                let page = CursorPage(
                    items: Array(entities.reversed().prefix(limit)), nextCursor: json.nextCursor)
                #expect(json.text.text == String(decoding: try WireJSON.encode(page), as: UTF8.self))
                #expect((json.nextCursor == nil) == (limit == 2))
            }
            try await StoreEngine.close(store)
        }
    }
}

extension JSONText {
    fileprivate var text: String { String(decoding: bytes, as: UTF8.self) }
}
