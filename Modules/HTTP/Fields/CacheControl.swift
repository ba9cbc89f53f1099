/// The directives of `Cache-Control` in a request or a response (RFC 9111, section 5.2).
///
/// Of a repeated directive the first one counts. Unknown directives are ignored. A malformed list loses only the elements
/// that cannot be read.
package struct CacheControl: Sendable, Hashable {
    /// A larger number of seconds counts as this one (RFC 9111, section 1.2.2): 68 years.
    package static let longest = 1 << 31

    package struct Directive: Sendable, Hashable {
        /// In lower case.
        package var name: String
        /// Without its quotes.
        package var value: String?
    }

    package let directives: [Directive]

    /// - Parameter lines: The values of the field, in order.
    package init(_ lines: [String]) {
        directives = FieldList.elements(lines).compactMap(Self.directive)
    }

    package init(_ fields: HeaderFields) { self.init(fields.values("Cache-Control")) }

    package func has(_ name: String) -> Bool { directives.contains { $0.name == name } }

    /// Seconds of a directive, at most `longest`; `nil` without the directive and for a value that is no number.
    package func seconds(_ name: String) -> Int? {
        directives.first { $0.name == name }?.value?.decimal(upTo: Self.longest)
    }

    /// Whether `name` stands there for the whole message, not for some of its fields.
    package func appliesToAll(_ name: String) -> Bool {
        directives.contains { $0.name == name && Self.fieldNames($0.value).isEmpty }
    }

    /// The fields that `no-cache` or `private` is limited to.
    package func fieldNames(of name: String) -> [String] {
        directives.filter { $0.name == name }.flatMap { Self.fieldNames($0.value) }
    }

    /// Empty, which means all fields, unless every element is a name.
    private static func fieldNames(_ value: String?) -> [String] {
        let names = FieldList.elements([value ?? ""])
        return names.allSatisfy(\.isToken) ? names : []
    }

    private static func directive(_ element: String) -> Directive? {
        guard let equals = element.firstIndex(of: "=") else {
            return Directive(name: element.lowercased(), value: nil)
        }
        // White space around `=` is not allowed: the name still counts, its number does not.
        let name = element[..<equals]
        let value = String(element[element.index(after: equals)...])
        guard name.trimmed == name else { return Directive(name: name.trimmed.lowercased(), value: " " + value) }
        return name.isEmpty ? nil : Directive(name: name.lowercased(), value: unquoted(value))
    }

    private static func unquoted(_ value: String) -> String {
        guard value.utf8.count >= 2, value.hasPrefix("\""), value.hasSuffix("\"") else { return value }
        var text = ""
        var isEscaped = false
        for character in value.dropFirst().dropLast() {
            if character == "\\", !isEscaped {
                isEscaped = true
            } else {
                text.append(character)
                isEscaped = false
            }
        }
        return text
    }
}
