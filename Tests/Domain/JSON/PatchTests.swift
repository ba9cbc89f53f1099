import FoundationEssentials
import StrataDomain
import Testing

struct PatchTests {
    private struct IssuePatch: Codable, Equatable {
        var title: Patch<String> = .absent
        var assignee: Patch<String> = .absent
        var dueAt: Patch<Date> = .absent
        var votes: Patch<Int> = .absent
    }

    private static let due = Date(timeIntervalSince1970: 1_795_251_900)

    private static let patches: [(IssuePatch, String)] = [
        (IssuePatch(), "{}"), (IssuePatch(assignee: .null), #"{"assignee":null}"#),
        (IssuePatch(title: .value("")), #"{"title":""}"#),
        (IssuePatch(dueAt: .value(due), votes: .value(0)), #"{"due_at":"2026-11-21T09:05:00.000Z","votes":0}"#),
        (
            IssuePatch(title: .null, assignee: .null, dueAt: .null, votes: .null),
            #"{"assignee":null,"due_at":null,"title":null,"votes":null}"#
        ),
    ]

    @Test func `absence leaves the key out, and null is written`() throws {
        for (patch, json) in Self.patches {
            #expect(String(decoding: try WireJSON.encode(patch), as: UTF8.self) == json)
        }
    }

    @Test func `absence, null and a value are read apart`() throws {
        for (patch, json) in Self.patches {
            #expect(try WireJSON.decode(IssuePatch.self, from: Data(json.utf8)) == patch)
        }
    }

    @Test func `every form writes and reads them the same way`() throws {
        for form in [
            JSONForm.asDeclared, .snakeCase(dates: .secondsSince1970), .asDeclared(dates: .pattern("dd.MM.yyyy HH:mm")),
        ] {
            for (patch, _) in Self.patches {
                #expect(try form.decode(IssuePatch.self, from: form.encode(patch)) == patch)
            }
        }
        #expect(
            String(decoding: try JSONForm.asDeclared.encode(IssuePatch(dueAt: .null)), as: UTF8.self)
                == #"{"dueAt":null}"#)
    }

    @Test(arguments: [#"{"title":5}"#, #"{"votes":"1"}"#, #"{"due_at":"soon"}"#, #"{"title":{}}"#, #"{"votes":1.5}"#])
    func `a value of another type is an error, not absence`(json: String) {
        #expect(throws: WireJSON.Failure.self) { try WireJSON.decode(IssuePatch.self, from: Data(json.utf8)) }
    }

    @Test func `an absent value where nothing can be left out is an error`() throws {
        #expect(throws: EncodingError.self) { try WireJSON.encode([Patch<Int>.absent]) }
        #expect(throws: EncodingError.self) { try WireJSON.encode(Patch<Int>.absent) }
        #expect(String(decoding: try WireJSON.encode([Patch.value(1), .null]), as: UTF8.self) == "[1,null]")
        #expect(try WireJSON.decode([Patch<Int>].self, from: Data("[1,null]".utf8)) == [.value(1), .null])
    }

    @Test func `the schema of a member is optional and may be null`() throws {
        let recorder = SchemaRecorder()
        _ = recorder.schema(of: IssuePatch.self)
        let schema = try #require(recorder.components["IssuePatch"])
        #expect(recorder.faults.isEmpty)
        #expect(schema.keywords["required"] == nil)
        #expect(
            schema.keywords["properties"]?.object?["title"]?.object?["type"]
                == .array([.string("string"), .string("null")]))
    }

    @Test func `only a value has a value`() {
        #expect(Patch.value(1).value == 1)
        #expect(Patch<Int>.null.value == nil)
        #expect(Patch<Int>.absent.value == nil)
        #expect(Patch<Int>.absent != .null)
    }
}
