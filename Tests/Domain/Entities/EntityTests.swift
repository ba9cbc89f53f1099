import FoundationEssentials
import StrataDomain
import Testing

@Suite struct `Entity fields` {
    private struct Note: Entity {
        static let noun = "note"
        static let collection = "notes"
        static let fields: [EntityField<Note>] = [
            .init("title", \.title, .line(2...5)),
            .init("long_text", \.longText, .lines(1...9)),
            .init("rank", \.rank, .within(-1...1)),
            .init("home", \.home, .web),
            .init("level", \.level),
        ]

        enum Level: String, FieldChoice { case low, high }

        var title = "title"
        var longText: String?
        var rank = 0
        var home: URL?
        var level = Level.low
    }

    private func flaws(_ note: Note) -> [String] {
        do throws(DomainError) {
            _ = try note.validated()
            return []
        } catch {
            guard case .validation(_, let fields) = error else { return ["\(error)"] }
            return fields.map(\.field)
        }
    }

    @Test func `a rule includes both ends of its range`() {
        for title in ["ab", "abcde", "éé"] { #expect(flaws(Note(title: title)).isEmpty, "\(title)") }
        for title in ["", "a", "abcdef", "ééé", "a\nb", "a\u{7}b"] { #expect(flaws(Note(title: title)) == ["title"]) }
        for text in ["a", "a\nb\tc", "123456789"] { #expect(flaws(Note(longText: text)).isEmpty) }
        for text in ["", "1234567890", "a\u{0}"] { #expect(flaws(Note(longText: text)) == ["long_text"]) }
        for rank in [-1, 0, 1] { #expect(flaws(Note(rank: rank)).isEmpty) }
        for rank in [-2, 2, .min, .max] { #expect(flaws(Note(rank: rank)) == ["rank"]) }
    }

    @Test(arguments: [
        "ftp://a.example", "http://", "a", "/a", "javascript:alert(1)", "http://" + String(repeating: "a", count: 2048),
    ])
    func `a URL without http or https, without a host or too long is refused`(text: String) {
        #expect(flaws(Note(home: URL(string: text))) == ["home"])
    }

    @Test(arguments: ["http://a", "https://a.example/c?d=e", "HTTPS://a.example:8443"])
    func `an http or https URL is accepted`(text: String) {
        #expect(flaws(Note(home: URL(string: text))).isEmpty)
    }

    @Test func `all invalid fields are reported at once by their wire names`() {
        #expect(flaws(Note(title: "", longText: "", rank: 9)) == ["title", "long_text", "rank"])
    }

    @Test func `an unknown choice of a later version is an error`() {
        #expect(throws: WireJSON.Failure.self) {
            try Note(wireFields: ["title": .string("ab"), "rank": .integer(0), "level": .string("highest")])
        }
    }

    @Test func `a stored entity is one JSON object with a sync state unless it is synchronised`() throws {
        var stored = Stored<Note>(
            id: Note.ID("n-1"), Note(), version: 2, updatedAt: Date(timeIntervalSince1970: 0))
        let fields = try #require(try JSONValue(encoding: stored).object)
        #expect(Set(fields.keys) == ["id", "version", "updated_at", "title", "rank", "level"])
        #expect(try JSONValue.object(fields).decode(Stored<Note>.self) == stored)
        #expect(stored.title == "title" && stored.entityTag == EntityTag(version: 2))
        stored.syncState = .queued
        #expect(try JSONValue(encoding: stored).object?["sync_state"] == .string("queued"))
        #expect(try JSONValue(encoding: stored).decode(Stored<Note>.self) == stored)
    }

    @Test func `an optional field is cleared by its name, with hyphens too, a required one is not`() throws {
        let note = Note(longText: "a")
        #expect(try note.changing([Note.optionalField("long-text"): .null]).longText == nil)
        #expect(try note.changing([:]) == note)
        for name in ["title", "", "-", "nothing"] {
            #expect(throws: DomainError.self) { try Note.optionalField(name) }
        }
        #expect(throws: DomainError.self) { try note.changing(["title": .null]) }
    }
}

@Suite struct `Paged lists` {
    private struct Item: Codable, Sendable, Identifiable, Equatable {
        var id: Int
        var text = ""
    }

    private func page(_ ids: Int..., then next: String?) -> CursorPage<Item> {
        CursorPage(items: ids.map { Item(id: $0) }, nextCursor: next)
    }

    @Test func `the pages of a list are read to the end, each item once in its last form`() async throws {
        let items = try await CursorPage<Item>.all { cursor throws(DomainError) in
            switch cursor {
            case nil: page(1, 2, then: "a")
            case "a": page(3, then: "b")
            default: CursorPage(items: [Item(id: 1, text: "moved")], nextCursor: nil)
            }
        }
        #expect(items == [Item(id: 2), Item(id: 3), Item(id: 1, text: "moved")])
    }

    @Test func `a list without an end is an error`() async {
        await #expect(throws: DomainError.self) {
            _ = try await CursorPage<Item>.all { _ throws(DomainError) in page(1, then: "same") }
        }
        await #expect(throws: DomainError.self) {
            _ = try await CursorPage<Item>.all { cursor throws(DomainError) in
                page(then: "\((cursor.flatMap { Int($0) } ?? 0) + 1)")
            }
        }
    }
}
