public import ArgumentParser
public import FoundationEssentials
public import StrataDomain

/// Rows with the commands `list` and `export`.
public protocol ListedRow: Sendable {
    /// What its commands need.
    associatedtype Tools: Sendable
    /// The arguments that name what the rows belong to. Default: none.
    associatedtype Scope: ParsableArguments & Sendable = NoScope

    /// The singular in a sentence: `host token`.
    static var noun: String { get }
    /// The plural in a sentence: `host tokens`.
    static var plural: String { get }
    /// The name of the group of commands: `host-tokens`.
    static var path: String { get }
    /// The help of `list`: `List your badges.`
    static var listing: String { get }
    /// The scope in the examples of the help. Default: nothing.
    static var exampleScope: String { get }
    /// After the id.
    static var columns: [ListColumn<Self>] { get }
    /// Said instead of a table without rows.
    static func empty(_ scope: Scope) -> String
    /// How far the rows are behind the server, said below the list. Default: `nil`, for rows that the server has just sent.
    static func freshness(_ tools: Tools, at now: Date) async -> String?
    /// The id of what the row belongs to, if ids are shown with it. Default: `nil`.
    var owner: String? { get }
    /// The id in the first column.
    var listedId: String { get }
    /// The row as JSON.
    var document: any Encodable { get }
    /// Reads the first rows, in the order of the list.
    ///
    /// - Parameters:
    ///   - limit: Rows that are needed; more may be given.
    ///   - take: Called for each row.
    /// - Returns: The number of all rows; `nil` where they are read up to one more than `limit`.
    static func read(
        _ tools: Tools, in scope: Scope, _ options: GlobalOptions, upTo limit: Int, _ take: (Self) -> Void
    ) async throws -> Int?
}

/// A resource with the commands `list` and `export`.
public protocol ListedResource: Resource, ListedRow {
    /// As `ResourceRepository.list`.
    static func list(
        _ tools: Tools, in scope: Scope, _ options: GlobalOptions, upTo limit: Int
    ) async throws -> (items: [Self], total: Int?)
}

/// No arguments.
public struct NoScope: ParsableArguments, Sendable {
    public init() {}
}

/// A resource with a command that deletes, such as `rm`, too.
public protocol RemovableResource: ListedResource {
    /// The arguments that name one. Default: its id.
    associatedtype RemovalArguments: ParsableArguments & Sendable = IdArgument<Self>
    /// The command that deletes, and its result: `("rm", "Remove a badge.", "deleted")`.
    static var removal: (name: String, abstract: String, result: String) { get }
    /// The arguments in the example of the help. Default: `9f2c41d`.
    static var exampleRemoval: String { get }
    /// Deletes one.
    ///
    /// - Returns: Its complete id.
    static func remove(_ arguments: RemovalArguments, _ tools: Tools) async throws -> ID
}

/// The id of a resource, or the end of one.
public struct IdArgument<Item: ListedResource>: ParsableArguments, Sendable {
    /// As `list` shows it.
    @Argument(help: ArgumentHelp("From '\(Item.path) list'.")) public var id: Identifier<Item>

    public init() {}
}

/// A resource with the command `show`, too, in a repository.
public protocol ManagedResource: RemovableResource where Scope == NoScope, RemovalArguments == IdArgument<Self> {
    /// Where the resources are.
    static func repository(_ tools: Tools) -> any ResourceRepository<Self>
}

extension ListedRow {
    public static var exampleScope: String { "" }
    public static func empty(_ scope: Scope) -> String { "There are no \(plural)." }
    public static func freshness(_ tools: Tools, at now: Date) async -> String? { nil }
    public var owner: String? { nil }
}

extension ListedResource {
    public var listedId: String { id.rawValue }
    public var document: any Encodable { self }
    public static func read(
        _ tools: Tools, in scope: Scope, _ options: GlobalOptions, upTo limit: Int, _ take: (Self) -> Void
    ) async throws -> Int? {
        let found = try await list(tools, in: scope, options, upTo: limit)
        for item in found.items { take(item) }
        return found.total
    }
}

extension RemovableResource {
    public static var exampleRemoval: String { "9f2c41d" }
}

extension ManagedResource {
    public static func remove(_ arguments: IdArgument<Self>, _ tools: Tools) async throws -> ID {
        let repository = repository(tools)
        let id = try await repository.completed(arguments.id)
        try await repository.delete(id)
        return id
    }

    public static func list(
        _ tools: Tools, in scope: NoScope, _ options: GlobalOptions, upTo limit: Int
    ) async throws -> (items: [Self], total: Int?) {
        try await repository(tools).list(upTo: limit)
    }
}

extension ResourceRepository {
    /// The complete id of a part of one; the list is read for a part only.
    public func completed(_ id: Item.ID) async throws -> Item.ID {
        try await id.completed { _ in try await list(upTo: .max).items.map(\.id) }
    }
}
