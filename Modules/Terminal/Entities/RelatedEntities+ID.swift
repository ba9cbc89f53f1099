public import StrataDomain
import StrataSystem

extension RelatedEntities {
    /// The id of the entity that a user means: by an id, the end of one, or a name.
    ///
    /// - Throws: `.notFound` with the nearest name; `.validation` for a name or an end of several.
    public func id(of text: String) async throws -> String {
        // The server says whether there is one.
        if ShortIDs.isUUID(text) { return text }
        let named = try await named(text)
        if named.count > 1 {
            let ids = named.prefix(5).map(\.id).joined(separator: ", ")
            throw DomainError.validation(
                "'\(text)' is the name of several \(plural): \(ids). Give the id of the one you mean.")
        }
        if let only = named.first { return only.id }
        let completed = try await IDCompletion.completed(text) { part in try await ids(with: part) }
        if completed != text { return completed }
        do throws(DomainError) {
            if Identifier<Self>(parameter: text) != nil { return try await entity(text).id }
        } catch { guard error.kind == .notFound else { throw error } }
        throw DomainError.notFound("There is no \(noun) '\(text)'.\(await hint(for: text))")
    }

    /// The nearest name, or the first ones, with a space before.
    private func hint(for text: String) async -> String {
        let names = ((try? await first(500)) ?? []).compactMap(\.name)
        let all = "'\(ProgramName.current) \(commandName) list' shows all."
        if let near = EditDistance.nearest(to: text, among: names) { return " Did you mean '\(near)'? \(all)" }
        guard !names.isEmpty else { return " There are no \(plural) yet." }
        let shown = names.prefix(5).map { "'\($0)'" }.joined(separator: ", ")
        return " Some are \(shown); \(all)"
    }
}

extension EntityUseCases {
    /// The values that a user gave, with the ids of what they name. Commands of a feature's own call it, too.
    ///
    /// - Parameter values: By name on the wire; the value of a field that refers to another entity is an id, the end of one, or a name.
    /// - Throws: `.notFound` with the nearest name; `.validation` for a name or an end of several.
    public func resolved(_ values: [String: JSONValue]) async throws -> [String: JSONValue] {
        var values = values
        for field in Content.fields {
            guard let target = field.reference?.target, let text = values[field.name]?.string else { continue }
            if let related = related(target) {
                values[field.name] = .string(try await related.id(of: text))
            } else if Identifier<Content>(parameter: text) == nil {
                throw DomainError.validation(
                    "'\(text)' is no id of a \(target.noun); give \(Identifier<Content>.parameterKind).")
            }
        }
        return values
    }

    /// The query with the ids of what its filters name.
    ///
    /// - Throws: As for values.
    public func resolved(_ query: EntityQuery<Content>) async throws -> EntityQuery<Content> {
        var query = query
        query.filters = try await resolved(query.filters)
        return query
    }

    /// The names of what `items` refer to.
    func names(in items: [Stored<Content>]) async -> ReferenceNames {
        await names { field in items.compactMap { field.value($0.content).string } }
    }

    /// The names of what the groups of an aggregate refer to.
    func names(in rows: [AggregateRow]) async -> ReferenceNames {
        await names { field in rows.compactMap { $0.group[field.name]?.string } }
    }

    private func names(_ found: (EntityField<Content>) -> [String]) async -> ReferenceNames {
        var ids: [String: Set<String>] = [:]
        var names: [String: [String: String]] = [:]
        let fields = Content.fields.filter { $0.reference != nil }
        for field in fields {
            ids[field.reference?.target.collection ?? "", default: []].formUnion(found(field))
        }
        for target in fields.compactMap(\.reference?.target) where names[target.collection] == nil {
            names[target.collection] = await related(target)?.names(of: ids[target.collection] ?? []) ?? [:]
        }
        return ReferenceNames(names: names)
    }
}

/// The names that tables and lines show in the place of ids.
struct ReferenceNames: Sendable {
    /// Of what is printed now; a table is made by functions of features, which know fields and no names.
    @TaskLocal static var shown = ReferenceNames()

    /// By collection and id.
    fileprivate var names: [String: [String: String]] = [:]

    init() {}
    fileprivate init(names: [String: [String: String]]) { self.names = names }

    subscript(target: any Entity.Type, id: String) -> String? { names[target.collection]?[id] }
}
