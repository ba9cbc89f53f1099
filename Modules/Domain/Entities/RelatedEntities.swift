/// The entities that a field refers to, as people name them.
public struct RelatedEntities: Sendable {
    /// An entity and the value of its `Entity.nameField`.
    public struct Named: Sendable, Hashable {
        /// The id of the entity.
        public let id: String
        /// `nil` where the entity has no such field.
        public let name: String?
        /// The name and the beginning of its text, in one line.
        public let title: String
    }

    /// The word for one entity.
    public let noun: String
    /// The word for several.
    public let plural: String
    /// The name of the group of their commands.
    public let commandName: String
    /// Whether they have names.
    private let isNamed: Bool
    private let idsWithPart: @Sendable (String) async throws(DomainError) -> [String]
    private let list: @Sendable (_ name: String?, _ limit: Int?) async throws(DomainError) -> [Named]
    private let get: @Sendable (String) async throws(DomainError) -> Named

    /// - Parameter open: Called at the first use; it may open a database.
    public init<Content: Entity>(_ open: @escaping @Sendable () async throws(DomainError) -> EntityUseCases<Content>) {
        let opening = Opening(open)
        let open: @Sendable () async throws(DomainError) -> EntityUseCases<Content> = { () throws(DomainError) in
            try await opening.value()
        }
        (noun, plural, commandName) = (Content.noun, Content.plural, Content.commandName)
        isNamed = Content.nameField != nil
        let named: @Sendable (Stored<Content>) -> Named = { item in
            Named(
                id: item.id.rawValue, name: Content.nameField?.value(item.content).string,
                title: Self.title(of: item.content))
        }
        idsWithPart = { part throws(DomainError) in try await open().ids(with: part).map(\.rawValue) }
        list = { name, limit throws(DomainError) in
            var query = name.map { Self.narrowed(to: $0) } ?? EntityQuery<Content>()
            query.limit = limit
            return try await open().list(query).value.map(named)
        }
        get = { id throws(DomainError) in named(try await open().get(Identifier(id)).value) }
    }

    private static func title<Content: Entity>(of content: Content) -> String {
        let text = Content.fields.first { $0.isLong && !$0.isRedacted }?.value(content).string
        let parts = [Content.nameField?.value(content).string, text?.split(separator: "\n").first.map(String.init)]
        return parts.compactMap(\.self).joined(separator: ": ")
    }

    /// A list with every entity of the name, and as few others as the fields allow.
    private static func narrowed<Content: Entity>(to name: String) -> EntityQuery<Content> {
        guard let field = Content.nameField, (1...200).contains(name.utf8.count), !name.utf8.contains(0) else {
            return EntityQuery()
        }
        return field.isSearchable ? EntityQuery(search: name) : EntityQuery()
    }

    /// As `EntityUseCases.ids(with:)`.
    public func ids(with part: String) async throws(DomainError) -> [String] { try await idsWithPart(part) }

    /// Those whose name is `name`; where none has it in this case, those that have it in another, by `A` to `Z`.
    public func named(_ name: String) async throws(DomainError) -> [Named] {
        guard isNamed else { return [] }
        let found = try await list(name, nil)
        let exact = found.filter { $0.name == name }
        let folded = name.foldedBytes
        return exact.isEmpty ? found.filter { $0.name?.foldedBytes == folded } : exact
    }

    /// The first of the list, at most `limit`.
    public func first(_ limit: Int) async throws(DomainError) -> [Named] { try await list(nil, limit) }

    /// - Throws: `.notFound`.
    public func entity(_ id: String) async throws(DomainError) -> Named { try await get(id) }

    /// The names of these, by id, as far as they can be read: an id without a name is shown as it is. After an outage nothing more is
    /// asked for, so that a list does not wait for each of its names.
    public func names(of ids: Set<String>) async -> [String: String] {
        var names: [String: String] = [:]
        guard isNamed else { return names }
        do throws(DomainError) {
            if ids.count > Self.fewIDs {
                for item in try await list(nil, Self.manyIDs) where ids.contains(item.id) { names[item.id] = item.name }
            }
            for id in ids.subtracting(names.keys).sorted().prefix(Self.fewIDs) { names[id] = try await name(of: id) }
        } catch {}
        return names
    }

    /// - Throws: For an entity that cannot be read and may be there.
    private func name(of id: String) async throws(DomainError) -> String? {
        do throws(DomainError) { return try await get(id).name } catch {
            guard error.kind == .notFound else { throw error }
            return nil
        }
    }

    /// So many entities are read one by one.
    private static let fewIDs = 5
    /// Most entities of the list that is read for names.
    private static let manyIDs = 1000
}

/// Use cases that are made at their first use. An error is not kept.
private actor Opening<Content: Entity> {
    private let open: @Sendable () async throws(DomainError) -> EntityUseCases<Content>
    private var opened: EntityUseCases<Content>?

    init(_ open: @escaping @Sendable () async throws(DomainError) -> EntityUseCases<Content>) { self.open = open }

    func value() async throws(DomainError) -> EntityUseCases<Content> {
        if let opened { return opened }
        let made = try await open()
        opened = made
        return made
    }
}
