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

/// A resource with the commands `show` and `rm`, too.
public protocol ManagedResource: ListedResource where Scope == NoScope {
    /// The command that deletes, and its result: `("rm", "Remove a badge.", "deleted")`.
    static var removal: (name: String, abstract: String, result: String) { get }
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

extension ManagedResource {
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
