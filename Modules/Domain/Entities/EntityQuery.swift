/// Which entities a list has, in which order, and how many.
///
/// ```swift
/// EntityQuery<Note>(filters: ["level": .string("high")], search: "disk", sort: .init("-text"), limit: 20)
/// ```
public struct EntityQuery<Content: Entity>: Sendable, Hashable, Codable {
    /// The value of each of these fields, by name on the wire; a listed entity has all of them.
    public var filters: [String: JSONValue]
    /// The least value of each of these fields, by name on the wire.
    public var lowerBounds: [String: JSONValue]
    /// A part of the text of a searchable field, compared as `Entity.searchText` says.
    public var search: String?
    /// `nil`: `Entity.listOrder`.
    public var sort: Sort?
    /// The most entities. `nil`: all.
    public var limit: Int?

    /// The order by the values of a sortable field; texts by their UTF-8 bytes, `false` before `true`. Equal values follow by
    /// id, in the same direction. Entities without a value come last, in both directions.
    public struct Sort: Sendable, Hashable, Codable {
        /// The name on the wire.
        public var field: String
        /// Whether large values come first.
        public var isDescending: Bool

        /// The order by `field`.
        public init(_ field: String, isDescending: Bool) { (self.field, self.isDescending) = (field, isDescending) }

        /// - Parameter text: The name of the field, with `-` before it for the descending order.
        public init(_ text: String) {
            self.init(text.hasPrefix("-") ? String(text.dropFirst()) : text, isDescending: text.hasPrefix("-"))
        }

        /// The order as the query has it: `-level` for large values first.
        public var text: String { (isDescending ? "-" : "") + field }
    }

    /// A query; all entities in the order of the collection, unless something is given.
    public init(
        filters: [String: JSONValue] = [:], lowerBounds: [String: JSONValue] = [:], search: String? = nil,
        sort: Sort? = nil, limit: Int? = nil
    ) {
        (self.filters, self.lowerBounds, self.search) = (filters, lowerBounds, search)
        (self.sort, self.limit) = (sort, limit)
    }

    /// Whether the list has all entities, newest first.
    public var isComplete: Bool { self == EntityQuery() }

    /// Whether the list has the first entities of the list of all.
    public var isBeginning: Bool { self == EntityQuery(limit: limit) }

    /// The order; `nil` for newest first.
    public var order: Sort? { sort ?? Content.listOrder.map { Sort($0) } }

    /// The order of a list that is not sorted, for help and documents: `newest first`, `by title`.
    public static var standardOrder: String {
        guard let order = EntityQuery().order else { return "newest first" }
        if EntityQuery().sortField?.kind == .time { return order.isDescending ? "newest first" : "oldest first" }
        return "by \(order.field.replacing("_", with: " "))\(order.isDescending ? ", descending" : "")"
    }

    /// The field of the order.
    public var sortField: EntityField<Content>? {
        order.flatMap { sort in Content.fields.first { $0.name == sort.field } }
    }

    /// `search` as it is compared.
    public var foldedSearch: String? { search.map(Content.searchText) }

    /// The query with its filters in the form of the fields' values.
    ///
    /// - Throws: `.validation` that names each field which the list cannot use.
    public func validated() throws(DomainError) -> Self {
        var check = FieldCheck()
        var query = self
        for (name, value) in filters.sorted(by: { $0.key < $1.key }) {
            let field = Content.fields.first { $0.name == name }
            do throws(EndpointError) {
                if case .array(let items) = value, items.count != 1, let field {
                    throw EndpointError(.malformed, in: .query, key: field.filterName, expected: "one value")
                }
                let value = try Self.filter(field?.filterName ?? name, value.filterText, of: field)
                query.filters[name] = value
                field?.checkFilter(value, &check)
            } catch { check.refuse(error.key, "must be \(error.expected)") }
        }
        for (name, value) in lowerBounds.sorted(by: { $0.key < $1.key }) {
            let field = Content.fields.first { $0.name == name }
            if let field, field.lowerBoundName != nil, let least = field.parse(value.filterText) {
                query.lowerBounds[name] = least
            } else {
                check.refuse(field?.lowerBoundName ?? name, "must be \(field?.text ?? "left out")")
            }
        }
        if let search, !(1...200).contains(search.utf8.count) {
            check.text("q", search, bytes: 1...200)
        }
        do throws(EndpointError) {
            try checkSearch()
            try checkSort()
        } catch { check.refuse(error.key, "must be \(error.expected)") }
        if let limit, limit < 1 { check.refuse("limit", "must be 1 or more; it is \(limit)") }
        try check.orThrow("The list cannot be read this way.")
        return query
    }
}

// MARK: - On the wire

extension EntityQuery {
    /// The query items, in one order for equal queries.
    public var items: QueryItems {
        var items = QueryItems()
        if let limit { items.add("limit", "\(limit)") }
        for (name, value) in filters.sorted(by: { $0.key < $1.key }) {
            items.add(Content.fields.first { $0.name == name }?.filterName ?? name, value.filterText)
        }
        for (name, value) in lowerBounds.sorted(by: { $0.key < $1.key }) {
            items.add(Content.fields.first { $0.name == name }?.lowerBoundName ?? name, value.filterText)
        }
        if let search { items.add("q", search) }
        if let sort { items.add("sort", sort.text) }
        return items
    }

    /// - Throws: For an unknown item, one that is sent twice, a value of another type, and a field without order. The range of
    ///   `limit` is not checked.
    init(_ items: QueryItems) throws(EndpointError) {
        self.init(
            search: try .read(items.values("q"), place: .query, key: "q"),
            sort: try Optional<String>.read(items.values("sort"), place: .query, key: "sort").map(Sort.init),
            limit: try .read(items.values("limit"), place: .query, key: "limit"))
        for item in items.items where !Self.serverItems.contains(item.name) {
            if let field = Content.fields.first(where: { $0.lowerBoundName == item.name }) {
                let text = try String.read(items.values(item.name), place: .query, key: item.name)
                guard let value = field.parse(text) else {
                    throw EndpointError(.malformed, in: .query, key: item.name, expected: field.text)
                }
                lowerBounds[field.name] = value
                continue
            }
            let field =
                Content.fields.first { $0.filterName == item.name }
                ?? Content.fields.first { $0.formerFilterName == item.name }
            let text = try String.read(items.values(item.name), place: .query, key: item.name)
            filters[field?.name ?? item.name] = try Self.filter(item.name, text, of: field)
        }
        if let former = sort?.field, let field = Content.fields.first(where: { $0.servedName == former }) {
            sort?.field = field.name
        }
        try checkSearch()
        try checkSort()
    }

    /// Names that no filterable field may have.
    public static var serverItems: Set<String> { ["limit", "cursor", "q", "sort"] }

    private static func filter(
        _ name: String, _ text: String, of field: EntityField<Content>?
    ) throws(EndpointError) -> JSONValue {
        guard let field, field.isFilterable else {
            let names =
                Content.fields.filter(\.isFilterable).map(\.filterName) + Content.fields.compactMap(\.lowerBoundName)
                + serverItems.sorted()
            throw EndpointError(
                .malformed, in: .query, key: name, expected: "left out; lists have \(names.joined(separator: ", "))")
        }
        guard let value = field.parseItem(text) ?? field.converted(.string(text)), !text.utf8.contains(0) else {
            let expected = field.kind.isList ? field.itemText : field.text
            throw EndpointError(.malformed, in: .query, key: name, expected: expected)
        }
        return field.kind.isList ? .array([value]) : value
    }

    private func checkSearch() throws(EndpointError) {
        guard let search else { return }
        guard Content.fields.contains(where: \.isSearchable) else {
            throw EndpointError(
                .malformed, in: .query, key: "q", expected: "left out; \(Content.plural) cannot be searched")
        }
        guard !search.utf8.contains(0) else {
            throw EndpointError(.malformed, in: .query, key: "q", expected: "text of 1 to 200 bytes")
        }
    }

    private func checkSort() throws(EndpointError) {
        guard sort != nil, sortField?.isSortable != true else { return }
        let names = Content.fields.filter(\.isSortable).map(\.name).joined(separator: ", ")
        throw EndpointError(
            .malformed, in: .query, key: "sort",
            expected: names.isEmpty ? "left out; \(Content.plural) have one order" : "one of \(names), or -NAME")
    }
}

extension EntityField {
    /// Checks the value of a filter by the rule of the field; a filter of a list has one element.
    fileprivate func checkFilter(_ value: JSONValue, _ check: inout FieldCheck) {
        var found = FieldCheck()
        checkItem(filterName, value, &found)
        for flaw in found.errors { check.refuse(filterName, flaw.message) }
    }
}

extension JSONValue {
    /// The text of a filter or of a cell, which `EntityField.parse` reads.
    var filterText: String {
        switch self {
        case .string(let text): text
        case .integer(let number): "\(number)"
        case .number(let number): "\(number)"
        case .bool(let flag): "\(flag)"
        case .array(let items): items.map(\.filterText).joined(separator: " ")
        case .null, .object: ""
        }
    }
}

/// The query items of a list: its page size, filters, search and order.
@propertyWrapper
public struct ListQuery<Content: Entity>: Sendable, Codable, EndpointPart {
    /// The query that the item states.
    public var wrappedValue: EntityQuery<Content>
    /// A query as items of a request.
    public init(wrappedValue: EntityQuery<Content>) { self.wrappedValue = wrappedValue }

    func write(to request: inout EndpointBuilder, name: String) {
        for item in wrappedValue.items.items { request.query.add(item.name, item.value) }
    }

    static func read(from parts: EndpointParts, name: String) throws(EndpointError) -> Self {
        Self(wrappedValue: try EntityQuery(parts.query))
    }

    static func describe(in recording: PartsRecording, name: String) -> Self {
        recording.add("limit", in: .query, .integer(1...Content.largestPage, default: 50))
        EntityQuery<Content>.describeSelection(in: recording)
        let sorts = Content.fields.filter(\.isSortable).flatMap { [$0.name, "-\($0.name)"] }
        if !sorts.isEmpty { recording.add("sort", in: .query, .choice(sorts)) }
        return Self(wrappedValue: EntityQuery())
    }
}

extension EntityQuery {
    /// Adds the filters, the lower bounds and the search.
    static func describeSelection(in recording: PartsRecording, besides names: Set<String> = []) {
        for field in Content.fields where field.isFilterable && !names.contains(field.filterName) {
            // A filter of a list is one element.
            let item = field.schema.keywords["items"]?.object.map { JSONSchema($0) }
            recording.add(field.filterName, in: .query, item ?? field.schema)
        }
        for field in Content.fields {
            if let name = field.lowerBoundName, !names.contains(name) { recording.add(name, in: .query, field.schema) }
        }
        if Content.fields.contains(where: \.isSearchable) { recording.add("q", in: .query, .searchText) }
    }
}
