/// The elements of `Forwarded` (RFC 7239, section 4): one for each proxy, the one nearest to the client first.
package struct ForwardedField: Sendable, Hashable {
    /// The parameters of each element, with names in lower case.
    package let elements: [[String: String]]

    /// - Parameter values: The field lines in order; together they are one list.
    /// - Returns: `nil` for a malformed list, of which nothing must be trusted.
    package init?(_ values: [String]) {
        var elements: [[String: String]] = []
        for element in FieldList.split(values.joined(separator: ",")) {
            guard let parameters = FieldParameters(";" + element) else { return nil }
            var pairs: [String: String] = [:]
            for (name, value) in parameters.pairs where pairs.updateValue(value, forKey: name) != nil { return nil }
            // A list may have empty elements, which are ignored (RFC 9110, section 5.6.1.2).
            if !pairs.isEmpty { elements.append(pairs) }
        }
        self.elements = elements
    }
}
