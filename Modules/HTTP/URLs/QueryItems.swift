/// Query items in order; names may repeat and values may be empty.
public struct QueryItems: Sendable, Hashable {
    /// One pair of the query.
    public struct Item: Sendable, Hashable {
        /// The name, not escaped.
        public var name: String
        /// The value, not escaped.
        public var value: String
    }

    /// All pairs in order, repeated names included.
    public private(set) var items: [Item] = []

    /// No items.
    public init() {}

    /// Adds an item at the end; an earlier one with this name stays.
    public mutating func add(_ name: String, _ value: String) { items.append(Item(name: name, value: value)) }

    /// The values of all items with this name, in order.
    public func values(_ name: String) -> [String] { items.filter { $0.name == name }.map(\.value) }

    /// `name=value` pairs joined by `&`, each part percent-encoded (RFC 3986, section 3.4); empty without items.
    public var encoded: String {
        var text = ""
        text.reserveCapacity(items.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 2 })
        for item in items {
            if !text.isEmpty { text += "&" }
            text += PercentEncoding.encode(item.name)
            text += "="
            text += PercentEncoding.encode(item.value)
        }
        return text
    }

    /// Reads the form of `encoded`, and `+` as a space; `nil` for a malformed escape or text that is not UTF-8.
    public init?(parsing query: some StringProtocol) {
        for pair in query.split(separator: "&", omittingEmptySubsequences: true) {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.decode(parts[0], plusIsSpace: true),
                let value = PercentEncoding.decode(parts.count > 1 ? parts[1] : "", plusIsSpace: true)
            else { return nil }
            add(name, value)
        }
    }
}

extension QueryItems: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, String)...) {
        items = elements.map { Item(name: $0.0, value: $0.1) }
    }
}
