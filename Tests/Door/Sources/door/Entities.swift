import Foundation
import StrataDomain

/// Each signature below is a copy of the protocol's.

struct Colour: FieldValue, FieldListElement {
    static var fieldKind: FieldKind { .text }
    var fieldValue: JSONValue { "red" }
    init?(fieldValue: JSONValue) {}
    static var fieldText: String { "a colour" }
    static func fieldValue(of text: String) -> JSONValue? { .string(text) }
    static var fieldChoices: [String]? { nil }
    static func fieldSample(_ number: Int) -> Self { Colour() }
    static var fieldListText: String { "colours" }
    static func fieldListSample(_ number: Int) -> [Self] { [Colour()] }
    private init() {}
}

struct Pattern: TextFieldValue {
    let fieldString: String
    init?(fieldString: String) { self.fieldString = fieldString }
    private init(dots: Void) { fieldString = "dots" }
    static var fieldText: String { "a pattern" }
    static func fieldSample(_ number: Int) -> Self { Pattern(dots: ()) }
}

enum Shape: String, FieldChoice {
    case round, square
}

struct Frame: NestedValue {
    var width: Int
    static var fieldText: String { "a frame" }
    static func fieldSample(_ number: Int) -> Self { Frame(width: number) }
}

enum Seat: String, SpaceRole {
    case guest
    func may(_ action: RowAction, _ collection: String) -> Bool { action == .read }
}

enum Post: String, ServiceRole {
    case viewer
    func may(_ action: RowAction, _ collection: String) -> Bool { action == .read }
}

/// An entity that states all that it may state.
struct Note: Entity {
    static var noun: String { "note" }
    static var collection: String { "notes" }
    static var fields: [EntityField<Self>] { [.init("text", \.text, .lines(1...100))] }
    static var path: String { "notes" }
    static var commandName: String { "notes" }
    static var listOrder: String? { nil }
    static var nameFieldName: String? { nil }
    static var largestPage: Int { 100 }
    static var acceptsIDs: Bool { false }
    static func searchText(_ text: String) -> String { text }
    static var searchColumn: String? { nil }
    static var computedFields: [ComputedField<Self>] { [] }
    static var ownership: Ownership { .everyone }
    static var recordsAuthor: Bool { false }
    static var changesNeedVersion: Bool { false }
    static func check(_ entity: Self, _ check: inout FieldCheck) {}
    static func sampleValues(_ number: Int) -> [String: JSONValue] { ["text": "\(number)"] }
    static var schemaName: String { "Note" }
    static func refined(_ schema: JSONSchema) -> JSONSchema { schema }

    var text: String
}

struct Badge: Resource {
    static var noun: String { "badge" }
    static var path: String { "badges" }
    static var deletionProblems: [Int: [String]] { [:] }
    var id: Identifier<Badge>
}

struct NoBadges: ResourceRepository {
    func list(upTo limit: Int) async throws(DomainError) -> (items: [Badge], total: Int?) { ([], 0) }
    func get(_ id: Badge.ID) async throws(DomainError) -> Badge { throw .notFound("There is no badge '\(id)'.") }
    func delete(_ id: Badge.ID) async throws(DomainError) {}
}

struct ServerBadges: RemoteResourceRepository {
    typealias Item = Badge
    func send<Call: Endpoint>(_ call: Call, about id: Badge.ID?) async throws(DomainError) -> Call.Response {
        throw .notFound("There is no badge.")
    }
    func get(_ id: Badge.ID) async throws(DomainError) -> Badge { throw .notFound("There is no badge '\(id)'.") }
}
