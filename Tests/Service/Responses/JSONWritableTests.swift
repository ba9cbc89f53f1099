import FoundationEssentials
import StrataDomain
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

    private func expectSame(_ value: some JSONWritable & Encodable) throws {
        var text = JSONText()
        try Self.write(value, &text)
        let encoded = try WireJSON.encode(value)
        #expect(String(decoding: text.bytes, as: UTF8.self) == String(decoding: encoded, as: UTF8.self))
    }

    private static func write<Value: JSONWritable>(_ value: Value, _ text: inout JSONText) throws {
        try Value.writer(value, &text)
    }

    @Test(arguments: buoys) func `an entity is written as it is encoded`(_ buoy: Stored<Buoy>) throws {
        try expectSame(buoy)
    }

    @Test(arguments: [nil, "next"]) func `a page is written as it is encoded`(_ cursor: String?) throws {
        for items in [Self.buoys, []] {
            let page = CursorPage(items: items, nextCursor: cursor)
            try expectSame(page)
        }
    }

    @Test func `the health of the service is written as it is encoded`() throws {
        let health = HealthPayload(status: "live")
        try expectSame(health)
    }
}
