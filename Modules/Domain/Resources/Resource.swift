/// Rows that the server lists and that no form edits: sessions, keys, accounts, files. Rows that users write are an `Entity`.
///
/// ```swift
/// struct Badge: Resource {
///     static let noun = "badge"
///     static let path = "badges"
///     var id: Identifier<Badge>
///     var holder: String
/// }
/// ```
public protocol Resource: Codable, Sendable, Hashable, Identifiable where ID == Identifier<Self> {
    /// The singular in a sentence: `host token`.
    static var noun: String { get }
    /// The plural below `/v1` and on the command line: `host-tokens`.
    static var path: String { get }
    /// The problem codes of a refused deletion, by status. Default: none.
    static var deletionProblems: [Int: [String]] { get }
}

extension Resource {
    public static var deletionProblems: [Int: [String]] { [:] }
    /// The plural in a sentence: `host tokens`.
    public static var plural: String { path.replacing("-", with: " ") }
}

/// Where the rows of a resource are read and deleted.
public protocol ResourceRepository<Item>: Sendable {
    /// What it stores.
    associatedtype Item: Resource

    /// The first rows, in the order of the server.
    ///
    /// - Parameter limit: Rows that are needed; more may be returned.
    /// - Returns: `total` is the number of all rows; `nil` where they are read up to one more than `limit`.
    func list(upTo limit: Int) async throws(DomainError) -> (items: [Item], total: Int?)
    /// - Throws: `.notFound`. Default: of the list.
    func get(_ id: Item.ID) async throws(DomainError) -> Item
    /// - Throws: `.notFound`.
    func delete(_ id: Item.ID) async throws(DomainError)
}

extension ResourceRepository {
    /// The same as a repository and nothing more. Swift 6.3 does not convert `any UserRepository` to `any ResourceRepository<User>`.
    public var erased: any ResourceRepository<Item> { self }

    public func get(_ id: Item.ID) async throws(DomainError) -> Item {
        if let item = try await list(upTo: .max).items.first(where: { $0.id == id }) { return item }
        throw .notFound("There is no \(Item.noun) '\(id)'.")
    }
}
