import FoundationEssentials
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// The examples of a service's document, as it has them: a file of `Tests/Conformance/PublicAPIs`, which names source, commit and
/// licence. `Scripts/lib/public_examples.py` compares the files with the documents.
struct DocumentExamples {
    private let examples: JSONValue

    init(_ name: String) throws {
        let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
        let bytes = try Data(contentsOf: root.appending(path: "Tests/Conformance/PublicAPIs/\(name).json"))
        let file = try JSONForm.asDeclared.decode(JSONValue.self, from: bytes)
        examples = try #require(file.object?["examples"])
    }

    /// The example below the names: `example("CreateVersion", "request")`.
    func example(_ names: String...) throws -> JSONValue {
        try names.reduce(examples) { try #require($0.object?[$1], "there is no example \(names)") }
    }

    /// Sends `endpoint`, answers with `response`, and expects that every value of the type it is read as is that of the example.
    ///
    /// - Parameters:
    ///   - form: How the service spells its JSON.
    ///   - name: The member of a property.
    static func expect<E: Endpoint>(
        _ endpoint: E, reads response: JSONValue, from api: PublicAPI, as form: JSONForm,
        name: @escaping (String) -> String, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws where E.Response: Encodable {
        api.bench.transport.append(.json(try text(response)))
        let read = try await api.client.send(endpoint)
        try expect(read, is: response, as: form, name: name, sourceLocation: sourceLocation)
    }

    /// Expects that every value of `read` is that of the example, and that none of the example is lost.
    static func expect(
        _ read: some Encodable, is response: JSONValue, as form: JSONForm, name: @escaping (String) -> String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let encoded = try form.decode(JSONValue.self, from: form.encode(read))
        let differences =
            Self.differences(encoded, response, at: "") + lost(read, response, at: "", name: name)
        #expect(differences == [], sourceLocation: sourceLocation)
    }

    static func text(_ value: JSONValue) throws -> String {
        String(decoding: try JSONForm.asDeclared.encode(value), as: UTF8.self)
    }

    /// A line for each value of `declared` that `example` has not. The example may have more members, but no more items.
    static func differences(_ declared: JSONValue, _ example: JSONValue, at path: String) -> [String] {
        switch (declared, example) {
        case (.object(let members), .object(let others)):
            return members.sorted { $0.key < $1.key }.flatMap { key, value in
                others[key].map { differences(value, $0, at: "\(path)/\(key)") }
                    ?? ["\(path)/\(key) is not in the document"]
            }
        case (.array(let items), .array(let others)) where items.count == others.count:
            return zip(items, others).enumerated().flatMap { differences($1.0, $1.1, at: "\(path)/\($0)") }
        case (.string(let text), .string(let other)) where isSameTime(text, other): return []
        default: return declared == example ? [] : ["\(path) is \(declared), not \(example)"]
        }
    }

    /// A line for each property without a value whose member in the example has one.
    static func lost(_ read: Any, _ example: JSONValue, at path: String, name: (String) -> String) -> [String] {
        let mirror = Mirror(reflecting: read)
        switch (mirror.displayStyle, example) {
        case (.optional, _):
            if let value = mirror.children.first?.value { return lost(value, example, at: path, name: name) }
            return example == .null ? [] : ["\(path) is lost"]
        case (.struct, .object(let members)):
            return mirror.children.flatMap { property, value in
                let key = name(property ?? "")
                return lost(value, members[key] ?? .null, at: "\(path)/\(key)", name: name)
            }
        case (.collection, .array(let items)):
            return zip(mirror.children, items).enumerated().flatMap { number, pair in
                lost(pair.0.value, pair.1, at: "\(path)/\(number)", name: name)
            }
        default: return []
        }
    }

    /// Whether both are the same moment, spelled in two of the ways of RFC 3339 and ISO 8601.
    private static func isSameTime(_ first: String, _ second: String) -> Bool {
        let times = [first, second].map { text in
            try? JSONForm.asDeclared.decode([Date].self, from: Data("[\"\(text)\"]".utf8)).first
        }
        return times[0] != nil && times[0] == times[1]
    }
}

struct DocumentExamplesTests {
    private struct Note: Codable, Sendable {
        var id: Int
        var text: String?
        var sentAt: Date?
    }

    private func differences(_ note: Note, _ example: JSONValue) throws -> [String] {
        let form = JSONForm.asDeclared
        let encoded = try form.decode(JSONValue.self, from: form.encode(note))
        return DocumentExamples.differences(encoded, example, at: "")
            + DocumentExamples.lost(note, example, at: "") { $0 }
    }

    @Test func `a value that differs, is invented or is lost has a line`() throws {
        let sent = try time("2021-01-17T12:34:00Z")
        let note = Note(id: 1, text: "milk", sentAt: sent)
        let example: JSONValue = ["id": 1, "text": "milk", "sentAt": "2021-01-17T13:34:00.000+0100", "more": true]
        #expect(try differences(note, example) == [])
        #expect(try differences(Note(id: 2, text: "milk", sentAt: sent), example).count == 1)
        #expect(try differences(Note(id: 1, text: "milk", sentAt: sent + 1), example).count == 1)
        #expect(try differences(note, ["id": 1, "text": "milk"]).count == 1)
        #expect(try differences(Note(id: 1, sentAt: sent), example) == ["/text is lost"])
    }
}
