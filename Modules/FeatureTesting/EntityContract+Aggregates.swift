import StrataDomain
import StrataTesting

/// Counts and sums.
extension EntityContract {
    /// One sentence for each aggregate that the fields do not allow.
    static var aggregateFailures: [String] {
        let names = Content.aggregates.map(\.name)
        return Content.aggregates.flatMap(\.flaws)
            + (Set(names).count == names.count ? [] : ["Two aggregates have the same name: \(names)."])
    }

    /// The server counts what a client counts, for users only.
    static func aggregates(_ client: ContractClients) async throws -> [String] {
        guard !Content.aggregates.isEmpty else { return [] }
        let samples = [try Content.sample(), try .sample(2), try .sample(3), try .sample(4, onlyRequired: true)]
        let memory = MemoryEntityRepository(try await client.created(samples))
        var failures: [String] = []
        for aggregate in Content.aggregates {
            for selection in queries(samples[0]) where selection.sort == nil && selection.limit == nil {
                let query = AggregateQuery(aggregate.name, selection: selection)
                guard (try? query.validated()) != nil else { continue }
                let expected = try await memory.aggregate(query, .mustAsk).value
                let found = try await client.api.send(AggregateEntities(query)).items
                if !found.elementsEqual(expected, by: isSame) {
                    failures.append("'\(aggregate.name)' of '\(selection.items.encoded)' is \(found), not \(expected).")
                }
            }
            let call = AggregateEntities(AggregateQuery<Content>(aggregate.name))
            let anonymous = ContractClients(
                client.backend, api: client.anonymous, client.anonymous, replaces: client.replaces)
            if await anonymous.problem(call)?.status != 401 { failures.append("'\(aggregate.name)' is for everyone.") }
        }
        return failures
    }

    /// Engines add fractions in another order.
    private static func isSame(_ one: AggregateRow, _ other: AggregateRow) -> Bool {
        var equal = other
        for (name, sum) in one.sums {
            guard let first = Double(fieldValue: sum), let second = Double(fieldValue: other.sums[name] ?? .null),
                abs(first - second) <= 1e-9 * max(1, abs(first))
            else { return false }
            equal.sums[name] = sum
        }
        return one == equal
    }
}
