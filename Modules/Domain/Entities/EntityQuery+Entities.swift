/// The query without a database. The SQL of the server has the same result; `EntityQueryTests` compares them.
extension EntityQuery {
    /// The entities of a complete list that the query asks for, in its order.
    public func entities(of all: [Stored<Content>]) -> [Stored<Content>] {
        let filtered = Content.fields.compactMap { field in filters[field.name].map { (field, $0) } }
        let bounded = Content.fields.compactMap { field in lowerBounds[field.name].map { (field, $0) } }
        let searched = search == nil ? [] : Content.fields.filter(\.isSearchable)
        let text = Array((foldedSearch ?? "").utf8)
        let found = all.filter { item in
            filtered.allSatisfy { field, value in field.value(item.content).isListedAs(value) }
                && bounded.allSatisfy { field, least in
                    let value = field.value(item.content)
                    return value != .null && !value.precedes(least)
                }
                && (search == nil
                    || searched.contains {
                        $0.value(item.content).string.map { Array(Content.searchText($0).utf8).contains(text) } == true
                    })
        }
        let sorted = self.sorted(found)
        return limit.map { Array(sorted.prefix($0)) } ?? sorted
    }

    private func sorted(_ items: [Stored<Content>]) -> [Stored<Content>] {
        guard let sort = order, let field = sortField else { return items.sorted { $0.id.rawValue > $1.id.rawValue } }
        let keyed = items.map { (value: field.value($0.content), item: $0) }
        return keyed.sorted { one, other in
            // Entities without a value come last.
            guard (one.value == .null) == (other.value == .null) else { return other.value == .null }
            let (first, second) = sort.isDescending ? (other, one) : (one, other)
            if first.value.precedes(second.value) { return true }
            return !second.value.precedes(first.value) && first.item.id.rawValue < second.item.id.rawValue
        }.map(\.item)
    }
}

extension String {
    /// The UTF-8 bytes, `A` to `Z` as `a` to `z`.
    var foldedBytes: [UInt8] { utf8.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 } }
}

extension JSONValue {
    /// Texts are compared by their bytes, as in a database, and not by canonical equivalence. A list has every element of `other`,
    /// texts with `A` to `Z` as `a` to `z`.
    fileprivate func isListedAs(_ other: JSONValue) -> Bool {
        if case .array(let own) = self, case .array(let wanted) = other {
            return wanted.allSatisfy { wanted in
                own.contains { item in
                    item.string == nil ? item == wanted : item.string?.foldedBytes == wanted.string?.foldedBytes
                }
            }
        }
        if case .string(let one) = self, case .string(let other) = other { return one.utf8.elementsEqual(other.utf8) }
        return self == other
    }

    /// Whether the value comes before another of the same field.
    func precedes(_ other: JSONValue) -> Bool {
        switch (self, other) {
        // Times too: their text has one length and UTC.
        case (.string(let one), .string(let other)): one.utf8.lexicographicallyPrecedes(other.utf8)
        case (.integer(let one), .integer(let other)): one < other
        case (.number(let one), .number(let other)): one < other
        case (.bool(let one), .bool(let other)): !one && other
        default: false
        }
    }
}
