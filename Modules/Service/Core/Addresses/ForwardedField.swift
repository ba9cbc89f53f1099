import StrataHTTP

/// The elements of `Forwarded` (RFC 7239, section 4): one for each proxy, the one nearest to the client first.
struct ForwardedField: Sendable, Hashable {
    /// The parameters of each element, their names in lower case.
    let elements: [[String: String]]

    /// - Parameter values: The field's lines, in order; together they are one list.
    /// - Returns: `nil` for any other text; then no element can be trusted.
    init?(_ values: [String]) {
        var elements: [[String: String]] = []
        for element in FieldList.split(values.joined(separator: ",")) {
            guard let parameters = FieldParameters(";" + element) else { return nil }
            var pairs: [String: String] = [:]
            for (name, value) in parameters.pairs where pairs.updateValue(value, forKey: name) != nil { return nil }
            // An empty element is legal in a list and says nothing (RFC 9110, section 5.6.1.2).
            if !pairs.isEmpty { elements.append(pairs) }
        }
        self.elements = elements
    }
}
