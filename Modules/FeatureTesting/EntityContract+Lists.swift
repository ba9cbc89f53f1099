import StrataDomain

/// Lists by filters, search and order.
extension EntityContract {
    /// One sentence for each field that a list cannot use as it says.
    static var listFailures: [String] {
        let reserved = Set(
            ["id", "version", "updated_at", "sync_state"] + (Content.recordsAuthor ? ["author", "author_id"] : []))
        let taken = reserved.union(Content.fields.map(\.name))
        let sent = Content.sentValues.filter { taken.contains($0.name) }.map {
            "'\($0.name)' is computed and the name of a field, or one of the server; choose another one."
        }
        return sent
            + Content.fields.flatMap { field -> [String] in
                let isText = field.kind == .text && field.sample(1).string != nil
                return [
                    reserved.contains(field.name)
                        ? "'\(field.name)' is a name of the server; choose another one." : nil,
                    field.isFilterable && EntityQuery<Content>.serverItems.contains(field.filterName)
                        ? "'\(field.filterName)' is an item of every list and cannot be a filter." : nil,
                    field.lowerBoundName.map { EntityQuery<Content>.serverItems.contains($0) } == true
                        ? "'\(field.lowerBoundName ?? "")' is an item of every list and cannot be a lower bound." : nil,
                    field.isSearchable && !isText ? "'\(field.name)' is searchable and not a text." : nil,
                    field.kind == .json && (field.isFilterable || field.isSortable || field.isUnique)
                        ? "'\(field.name)' is a nested value, which has no filter, no order and no index." : nil,
                    field.isSortable && field.kind.isList ? "'\(field.name)' is sortable and a list." : nil,
                    field.isSortable && field.isLong ? "'\(field.name)' is sortable and too long for a cursor." : nil,
                ].compactMap { $0 }
            }
    }

    /// A list has the entities and the order that `EntityQuery.entities(of:)` gives, in pages of any size.
    static func lists(_ client: ContractClients) async throws -> [String] {
        let samples = [try Content.sample(), try .sample(2), try .sample(3), try .sample(4, onlyRequired: true)]
        let all = try await client.created(samples)
        var failures: [String] = []
        for query in queries(samples[0]) {
            let expected = query.entities(of: all).map(\.id)
            for pageSize in [1, 3] {
                let found = try await client.listed(query, pageSize: pageSize).map(\.id)
                if found != expected {
                    failures.append(
                        "'\(query.items.encoded)' listed \(found) in pages of \(pageSize), not \(expected).")
                }
            }
        }
        return try await failures + refusals(client)
    }

    /// A query for each use of each field; `sample` is one of the entities.
    static func queries(_ sample: Content) -> [EntityQuery<Content>] {
        let filters = Content.fields.filter(\.isFilterable).map { field in
            guard case .array(let words) = field.value(sample) else { return [field.name: field.value(sample)] }
            return [field.name: JSONValue.array(Array(words.prefix(1)))]
        }
        let bounds = Content.fields.filter { $0.lowerBoundName != nil }.map { [$0.name: $0.value(sample)] }
        let sorts = Content.fields.filter(\.isSortable).flatMap { [$0.name, "-\($0.name)"] }
        let searches = Content.fields.filter(\.isSearchable).compactMap { field in
            field.value(sample).string.map { String($0.suffix(40).uppercased()) }
        }
        return [EntityQuery()] + filters.map { EntityQuery(filters: $0) } + sorts.map { EntityQuery(sort: .init($0)) }
            + searches.map { EntityQuery(search: $0) } + bounds.map { EntityQuery(lowerBounds: $0) }
            + zip(filters, sorts).map { EntityQuery(filters: $0, search: searches.first, sort: .init($1)) }
    }

    /// What a list cannot use is refused with 4xx and its name.
    private static func refusals(_ client: ContractClients) async throws -> [String] {
        var refused: [(EntityQuery<Content>, String)] = [
            (EntityQuery(filters: ["no_field": .string("x")]), "no_field"),
            (EntityQuery(sort: .init("no_field")), "sort"),
        ]
        for field in Content.fields
        where field.isFilterable && field.kind != .text && field.parseItem("no value") == nil {
            refused.append((EntityQuery(filters: [field.name: .string("no value")]), field.filterName))
        }
        for field in Content.fields where !field.isSortable {
            refused.append((EntityQuery(sort: .init(field.name)), "sort"))
        }
        for field in Content.fields where !field.isFilterable {
            refused.append((EntityQuery(filters: [field.name: field.sample(1)]), field.name))
        }
        if !Content.fields.contains(where: \.isSearchable) { refused.append((EntityQuery(search: "x"), "q")) }
        var failures: [String] = []
        for (query, field) in refused {
            let problem = await client.problem(ListEntities(query))
            if problem?.status != 400 || problem?.errors?.map(\.field) != [field] {
                failures.append("'\(query.items.encoded)' was answered with \(problem.map { "\($0)" } ?? "200").")
            }
        }
        let cursor = try await client.api.send(ListEntities<Content>(limit: 1)).nextCursor
        for query in try queries(Content.sample()).dropFirst() {
            let status = await client.problem(ListEntities(query, cursor: cursor))?.status
            if status != 400 { failures.append("'\(query.items.encoded)' took the cursor of another list.") }
        }
        return failures
    }
}
