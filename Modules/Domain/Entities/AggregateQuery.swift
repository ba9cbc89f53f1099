public import FoundationEssentials

/// Which rows an aggregate counts.
///
/// ```swift
/// AggregateQuery<Shift>("per-day", since: monday, selection: EntityQuery(filters: ["team": .string("t-1")]))
/// ```
public struct AggregateQuery<Content: Entity>: Sendable, Hashable {
    /// The name of the aggregate.
    public var name: String
    /// Rows with a time before are left out. `nil`: none.
    public var since: Date?
    /// Rows with this time or a later one are left out. `nil`: none.
    public var until: Date?
    /// The filters, lower bounds and search of the list; without a limit and an order.
    public var selection: EntityQuery<Content>

    /// The rows of a time and a selection. Default: all.
    public init(
        _ name: String, since: Date? = nil, until: Date? = nil,
        selection: EntityQuery<Content> = EntityQuery()
    ) {
        (self.name, self.since, self.until, self.selection) = (name, since, until, selection)
    }

    /// - Throws: `.validation` for an unknown name.
    package var aggregate: Aggregate<Content> {
        get throws(DomainError) {
            if let found = Content.aggregates.first(where: { $0.name == name }) { return found }
            throw .validation(
                "'\(name.prefix(40))' is no aggregate of \(Content.plural); there is \(AggregateName<Content>.names).")
        }
    }

    /// - Throws: `.validation` for an unknown name, and for each part that the aggregate or the list cannot use.
    public func validated() throws(DomainError) -> Self {
        let aggregate = try aggregate
        var check = FieldCheck()
        for (name, time) in [("since", since), ("until", until)] where time != nil && aggregate.timeField == nil {
            check.refuse(name, "must be left out; '\(aggregate.name)' has no time")
        }
        for field in Content.fields {
            let (bound, filter) = (selection.lowerBounds[field.name], selection.filters[field.name])
            for (name, value) in [(field.lowerBoundName, bound), (field.filterName, filter)] where value != nil {
                guard let name, SelectionQuery<Content>.times.contains(name) else { continue }
                check.refuse(name, "must be left out; an aggregate has its own")
            }
        }
        if selection.limit != nil { check.refuse("limit", "must be left out") }
        if selection.sort != nil { check.refuse("sort", "must be left out") }
        try check.orThrow("The aggregate cannot be read this way.")
        var query = self
        query.selection = try selection.validated()
        return query
    }
}

/// `GET /v1/shifts/aggregates/{aggregate}?since&until&FIELD=VALUE&q=TEXT`: counts and sums of the rows that the caller sees.
public struct AggregateEntities<Content: Entity>: RoutedEndpoint {
    public static var route: Route { .get("/v1/\(Content.path)/aggregates/{aggregate}") }
    public typealias Response = AggregateRows
    public static var documentation: EndpointDocumentation {
        let list = Content.aggregates.map { "`\($0.name)`: \($0.text)" }.joined(separator: ". ")
        return EndpointDocumentation(
            "Aggregate \(Content.plural)",
            details: "\(list). At most \(AggregateRow.limit) rows, in the order of time and groups; 422 for more.")
    }

    /// Which aggregate.
    @Path public var aggregate: AggregateName<Content>
    /// Rows with a time before are left out.
    @Query public var since: Date?
    /// Rows with this time or a later one are left out.
    @Query public var until: Date?
    /// The filters, lower bounds and search of the list.
    @SelectionQuery public var selection: EntityQuery<Content>

    /// The request for a query.
    public init(_ query: AggregateQuery<Content>) {
        aggregate = AggregateName(rawValue: query.name)
        selection = query.selection
        (since, until) = (query.since, query.until)
    }

    package var query: AggregateQuery<Content> {
        AggregateQuery(aggregate.rawValue, since: since, until: until, selection: selection)
    }
}

/// The name of an aggregate of an entity.
public struct AggregateName<Content: Entity>: RawRepresentable, ParameterValue, Hashable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
    public init?(parameter: String) {
        guard Content.aggregates.contains(where: { $0.name == parameter }) else { return nil }
        rawValue = parameter
    }
    public var parameter: String { rawValue }
    public static var parameterKind: String { "one of \(names)" }

    static var names: String { Content.aggregates.map(\.name).joined(separator: ", ") }
}

extension AggregateName: SchemaDescribing {
    public static func schema(_ recorder: SchemaRecorder) -> JSONSchema { .choice(Content.aggregates.map(\.name)) }
    public static func placeholder() -> Self { Self(rawValue: Content.aggregates.first?.name ?? "none") }
}

/// The query items of an aggregate: filters, lower bounds and search. `since` and `until` are parameters of their own.
@propertyWrapper
public struct SelectionQuery<Content: Entity>: Sendable, Codable, EndpointPart {
    /// The filters, lower bounds and search of the list.
    public var wrappedValue: EntityQuery<Content>
    /// The query items of a selection.
    public init(wrappedValue: EntityQuery<Content>) { self.wrappedValue = wrappedValue }

    package static var times: Set<String> { ["since", "until"] }

    func write(to request: inout EndpointBuilder, name: String) {
        for item in wrappedValue.items.items { request.query.add(item.name, item.value) }
    }

    static func read(from parts: EndpointParts, name: String) throws(EndpointError) -> Self {
        var items = QueryItems()
        for item in parts.query.items where !times.contains(item.name) {
            guard !["limit", "cursor", "sort"].contains(item.name) else {
                throw EndpointError(.malformed, in: .query, key: item.name, expected: "left out; there are no pages")
            }
            items.add(item.name, item.value)
        }
        return Self(wrappedValue: try EntityQuery(items))
    }

    static func describe(in recording: PartsRecording, name: String) -> Self {
        EntityQuery<Content>.describeSelection(in: recording, besides: times)
        return Self(wrappedValue: EntityQuery())
    }
}
