public import StrataDomain

/// A response that writes its JSON without an encoder, in a tenth of its time. An endpoint whose `Response` conforms uses it.
///
/// Clients and the OpenAPI document read the type as `Codable`, so the document must be the one of `WireJSON.encode`: keys in snake case,
/// times as RFC 3339, a member that is `nil` left out. With the keys sorted, the bytes are the same, too.
///
/// ```swift
/// extension Depth: JSONWritable {
///     func write(to text: inout JSONText) throws {
///         text.raw(#"{"metres":"#)
///         try text.value(.number(metres))
///         text.raw(#","place":"#)
///         text.string(place)
///         text.raw("}")
///     }
/// }
/// ```
public protocol JSONWritable: Sendable {
    /// Appends the value as JSON.
    func write(to text: inout JSONText) throws
}

extension Array: JSONWritable where Element: JSONWritable {
    public func write(to text: inout JSONText) throws {
        var separator: StaticString = "["
        for element in self {
            text.raw(separator)
            try element.write(to: &text)
            separator = ","
        }
        text.raw(isEmpty ? "[]" : "]")
    }
}

extension CursorPage: JSONWritable where Item: JSONWritable {
    public func write(to text: inout JSONText) throws {
        text.raw(#"{"items":"#)
        try items.write(to: &text)
        text.raw(#","next_cursor":"#)
        try text.value(nextCursor.map(JSONValue.string) ?? .null)
        text.raw("}")
    }
}
