import ArgumentParser
import Foundation
import StrataDomain
import StrataTerminal

/// Each signature below is a copy of the protocol's.

/// A terminal that shows nothing and is never asked.
struct Silence: ConsoleInput, ByteSource, TextSink {
    var isTerminal: Bool { false }
    func bytes() -> any ByteSource { self }
    func line(prompt: String, isHidden: Bool) async throws(DomainError) -> Secret { Secret("") }

    var size: Int? { nil }
    func next() async throws(DomainError) -> Data? { nil }

    var width: Int? { nil }
    var height: Int? { nil }
    func write(_ text: String) {}
    func write(_ bytes: Data) {}
    @discardableResult
    func offer(_ text: String) -> String? { nil }
}

struct Greet: ConsoleCommand {
    typealias Tools = String
    @OptionGroup var options: GlobalOptions
    var timeLimit: Duration? { nil }
    func run(_ tools: String, _ console: Console) async throws { console.out(tools) }
}

struct SyncGreet: SyncConsoleCommand {
    @OptionGroup var options: GlobalOptions
    func run(_ tools: SyncTools, _ console: Console) async throws {}
}

struct CacheGreet: CacheConsoleCommand {
    @OptionGroup var options: GlobalOptions
    func run(_ tools: CacheTools, _ console: Console) async throws {}
}

struct ConfigGreet: ConfigCommand {
    @OptionGroup var options: GlobalOptions
    func run(_ tools: ConfigTools, _ console: Console) async throws {}
}

struct RequestGreet: RequestConsoleCommand {
    @OptionGroup var options: GlobalOptions
    func run(_ tools: RequestTools, _ console: Console) async throws {}
}

// MARK: - Lists

struct NoteGreet: EntityCommand {
    typealias Content = Note
    @OptionGroup var options: GlobalOptions
    func run(_ tools: EntityUseCases<Note>, _ console: Console) async throws {}
}

enum NoteView: EntityView {
    typealias Content = Note
    static func document(_ item: Stored<Note>) -> Stored<Note> { item }
    static func table(_ items: [Stored<Note>]) -> Table { Table(entities: items) }
    static var addName: String { "add" }
    static func discussion(_ verb: EntityVerb) -> String? { nil }
    static var emptyList: String { "There are no notes." }
    static func outcome(_ result: String, _ item: Stored<Note>) -> String { result }
}

enum AllOptions: OptionPresence {
    static func isOffered<Content>(_ field: EntityField<Content>) -> Bool { true }
    static func isRequired<Content>(_ field: EntityField<Content>) -> Bool { false }
    static func option<Content>(_ field: EntityField<Content>) -> String { field.option }
    static func input<Content>(_ field: EntityField<Content>) -> FieldInput { .option }
    static func help<Content>(_ field: EntityField<Content>) -> String { field.text }
    static func read<Content>(_ field: EntityField<Content>) -> @Sendable (String) throws -> JSONValue {
        { .string($0) }
    }
}

struct Door: ListedResource {
    static var noun: String { "door" }
    static var path: String { "doors" }
    typealias Tools = String
    typealias Scope = NoScope
    static var listing: String { "List the doors." }
    static var exampleScope: String { "" }
    static var columns: [ListColumn<Self>] { [] }
    static func empty(_ scope: NoScope) -> String { "There are no doors." }
    var owner: String? { nil }
    static func list(
        _ tools: String, in scope: NoScope, _ options: GlobalOptions, upTo limit: Int
    ) async throws -> (items: [Self], total: Int?) { ([], 0) }
    var id: Identifier<Door>
}

struct Step: ListedRow {
    typealias Tools = String
    typealias Scope = NoScope
    static var noun: String { "step" }
    static var plural: String { "steps" }
    static var path: String { "steps" }
    static var listing: String { "List the steps." }
    static var exampleScope: String { "" }
    static var columns: [ListColumn<Self>] { [] }
    static func empty(_ scope: NoScope) -> String { "There are no steps." }
    static func freshness(_ tools: String, at now: Date) async -> String? { nil }
    var owner: String? { nil }
    var listedId: String { "" }
    var document: any Encodable { "" }
    static func read(
        _ tools: String, in scope: NoScope, _ options: GlobalOptions, upTo limit: Int, _ take: (Self) -> Void
    ) async throws -> Int? { 0 }
}

struct Bolt: RemovableResource {
    static var noun: String { "bolt" }
    static var path: String { "bolts" }
    typealias Tools = String
    typealias Scope = NoScope
    typealias RemovalArguments = NoScope
    static var listing: String { "List the bolts." }
    static var columns: [ListColumn<Self>] { [] }
    static func list(
        _ tools: String, in scope: NoScope, _ options: GlobalOptions, upTo limit: Int
    ) async throws -> (items: [Self], total: Int?) { ([], 0) }
    static var removal: (name: String, abstract: String, result: String) { ("rm", "Remove a bolt.", "removed") }
    static var exampleRemoval: String { "" }
    static func remove(_ arguments: NoScope, _ tools: String) async throws -> Identifier<Bolt> { Identifier(tools) }
    var id: Identifier<Bolt>
}

extension Badge: ManagedResource {
    typealias Tools = NoBadges
    static var listing: String { "List the badges." }
    static var columns: [ListColumn<Self>] { [] }
    static var removal: (name: String, abstract: String, result: String) { ("revoke", "Revoke a badge.", "revoked") }
    static func repository(_ tools: NoBadges) -> any ResourceRepository<Self> { tools }
}
