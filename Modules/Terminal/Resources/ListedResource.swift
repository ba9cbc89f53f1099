public import ArgumentParser
public import StrataDomain

/// A resource with the command `list`.
public protocol ListedResource: Resource {
    /// What its commands need.
    associatedtype Tools: Sendable
    /// The arguments that name what the rows belong to. Default: none.
    associatedtype Scope: ParsableArguments & Sendable = NoScope

    /// The help of `list`: `List your badges.`
    static var listing: String { get }
    /// The example in the help, after the path. Default: `list`.
    static var example: String { get }
    /// After the id.
    static var columns: [ListColumn<Self>] { get }
    /// Said instead of a table without rows.
    static func empty(_ scope: Scope) -> String
    /// The id of what the row belongs to, if ids are shown with it. Default: `nil`.
    var owner: String? { get }
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

extension ListedResource {
    public static var example: String { "list" }
    public static func empty(_ scope: Scope) -> String { "There are no \(plural)." }
    public var owner: String? { nil }
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
