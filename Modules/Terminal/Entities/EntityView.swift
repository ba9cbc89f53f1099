public import StrataDomain
import StrataSystem

/// How entities of one kind look on the terminal. Every member has a default that follows from the fields.
///
/// ```swift
/// enum ShiftView: EntityView {
///     typealias Content = Shift
///     static func table(_ items: [Stored<Shift>]) -> Table { … }
/// }
/// ```
public protocol EntityView<Content>: Sendable {
    /// The entity that is shown.
    associatedtype Content: Entity
    /// An entity for programs.
    associatedtype Document: Encodable & Sendable = Stored<Content>
    /// The JSON of an entity.
    static func document(_ item: Stored<Content>) -> Document
    /// A list for people.
    static func table(_ items: [Stored<Content>]) -> Table
    /// The name of the command that creates an entity. Default: `add`.
    static var addName: String { get }
    /// What the help of a command says besides its example. Default: nothing.
    static func discussion(_ verb: EntityVerb) -> String?
    /// Said instead of a table without rows, where no filter is given.
    static var emptyList: String { get }
    /// What a write says after the id. Default: the result and the version; the state of a write that was not sent yet.
    static func outcome(_ result: String, _ item: Stored<Content>) -> String
}

/// The commands about entities of one kind.
public enum EntityVerb: Sendable {
    /// The command of this name.
    case list, show, add, edit, remove
}

extension EntityView {
    public static func table(_ items: [Stored<Content>]) -> Table { Table(entities: items) }
    public static var addName: String { "add" }
    public static func discussion(_ verb: EntityVerb) -> String? { nil }
    public static var emptyList: String {
        "There are no \(Content.plural) yet; '\(ProgramName.current) \(Content.commandName) \(addName)' adds one."
    }
    public static func outcome(_ result: String, _ item: Stored<Content>) -> String {
        item.syncState == .synced ? "\(result), version \(item.version)" : item.syncState.rawValue
    }
}

extension EntityView {
    /// - Parameter empty: Said instead of a table without rows.
    public static func list(_ options: ListOptions, empty: String) -> ListView<Stored<Content>> {
        ListView(options, empty: empty, table: { Self.table($0) }, document: { Self.document($0) })
    }
}

extension EntityView where Document == Stored<Content> {
    public static func document(_ item: Stored<Content>) -> Stored<Content> { item }
}

/// The view that follows from the fields.
public enum FieldsView<Content: Entity>: EntityView {}
