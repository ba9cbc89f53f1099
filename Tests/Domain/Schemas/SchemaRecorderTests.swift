import Foundation
import Testing

@testable import StrataDomain

@Suite struct `The recorded schema of a type` {
    private struct Sample: Codable {
        enum Level: String, Codable, CaseIterable { case low, high }
        struct Inner: Codable { var isOpen: Bool }

        var text: String
        var count: Int?
        var level: Level
        var seenAt: Date
        var tags: [String]
        var inner: Inner
        var maybe: Inner?
        var extra: [String: JSONValue]
    }

    @Test func `has each member with its type, and requires those that are not optional`() throws {
        let recorder = SchemaRecorder()
        #expect(recorder.schema(of: Sample.self) == .reference("Sample"))
        let schema = try #require(recorder.components["Sample"])
        #expect(schema.required == ["extra", "inner", "level", "seen_at", "tags", "text"])
        let inner = JSONSchema.reference("Inner")
        #expect(
            schema.properties == [
                "text": .text(), "count": .integer().orNull, "level": .choice(["low", "high"]), "seen_at": .time,
                "tags": .array(of: .text()), "inner": inner, "maybe": inner.orNull, "extra": .map(of: .any),
            ])
        #expect(recorder.components["Inner"] == .object(["is_open": .flag], required: ["is_open"]))
        #expect(recorder.faults == [])
    }

    private struct Other {
        struct Inner: Codable { var name: String }
    }

    @Test func `two types of one name are two components`() {
        let recorder = SchemaRecorder()
        let (one, other) = (recorder.schema(of: Sample.Inner.self), recorder.schema(of: Other.Inner.self))
        #expect(one != other && recorder.components.count == 2)
        #expect(recorder.schema(of: Sample.Inner.self) == one)
    }

    private struct Odd: Decodable {
        init(from decoder: any Decoder) throws {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "odd"))
        }
    }

    @Test func `a type that refuses the recorded values is a fault`() {
        let recorder = SchemaRecorder()
        #expect(recorder.schema(of: Odd.self) == .any)
        #expect(recorder.faults.count == 1 && recorder.faults.allSatisfy { $0.hasPrefix("Odd cannot be recorded") })
    }

    private struct Report: Entity {
        static let noun = "report"
        static let collection = "reports"
        static let fields: [EntityField<Report>] = [
            .init("title", \.title, .line(1...40)).searchable, .init("count", \.count, .within(0...9)).filterable,
        ]
        var title: String
        var count: Int?
    }

    @Test func `an entity has the rules of its fields`() throws {
        let recorder = SchemaRecorder()
        _ = recorder.schema(of: CursorPage<Stored<Report>>.self)
        _ = recorder.schema(of: Report.self)
        #expect(Set(recorder.components.keys) == ["Report", "ReportFields", "ReportPage"])
        let fields = try #require(recorder.components["ReportFields"])
        #expect(fields.required == ["title"])
        #expect(fields.properties["title"]?.keywords["maxLength"] == 40)
        #expect(fields.properties["count"]?.keywords["maximum"] == 9)
        let stored = try #require(recorder.components["Report"])
        #expect(stored.required == ["id", "title", "updated_at", "version"])
        #expect(stored.properties["sync_state"] == nil && stored.properties["author"] == nil)
    }

    @Test func `the list of an entity has a parameter for each filter, and the search where a field has it`() {
        let list = EndpointDescription(ListEntities<Report>.self, by: SchemaRecorder())
        #expect(list.parameters.map(\.name) == ["cursor", "limit", "count", "q"])
        #expect(list.parameters.allSatisfy { !$0.isRequired && $0.place == .query })
        #expect(list.summary == "List reports" && list.isPage && list.isTagged)
    }
}
