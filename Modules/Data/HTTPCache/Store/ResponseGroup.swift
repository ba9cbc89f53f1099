import FoundationEssentials
import StrataCaching
import StrataDomain

/// The responses of one key in memory without their bodies, latest first.
struct ResponseGroup: Sendable {
    struct Item: Sendable {
        var response: StoredResponse
        var keptUntil: Date
        var tags: Set<String>
    }

    /// At most `RecordTable.mostItems`.
    var items: [Item] = [] {
        didSet { items = Array(items.prefix(RecordTable.mostItems)) }
    }
    /// The state of the disk this was last found equal to; another state must be compared first.
    var version = 0

    var responses: [StoredResponse] { items.map(\.response) }

    /// Bytes of the texts, as a measure of what they take.
    var cost: Int {
        responses.reduce(64) { cost, response in
            (response.fields.fields + response.selecting.fields)
                .reduce(cost + 256) { $0 + $1.name.utf8.count + $1.value.utf8.count + 32 }
        }
    }
}

extension TieredStore<HTTPCacheKey, ResponseGroup>.Memory {
    /// Changes the group of `key`, if it is in memory.
    mutating func change(_ key: HTTPCacheKey, _ body: (inout ResponseGroup) -> Void) {
        guard var group = values.remove(key) else { return }
        body(&group)
        values.insert(group, for: key, cost: group.cost)
    }

    mutating func removeItems(where isUnwanted: (ResponseGroup.Item) -> Bool) {
        for key in values.keys where values.peek(key)?.items.contains(where: isUnwanted) == true {
            change(key) { $0.items.removeAll(where: isUnwanted) }
        }
    }
}
