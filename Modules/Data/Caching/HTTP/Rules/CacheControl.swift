/// The directives of `Cache-Control` in a request or a response (RFC 9111, section 5.2), whatever was sent there.
///
/// Of a directive that is there several times the first one counts. Unknown ones are ignored; a broken list loses what
/// cannot be read and nothing else.
struct CacheControl: Sendable, Hashable {
    /// What a number beyond it counts as (RFC 9111, section 1.2.2): 68 years.
    static let longest = 1 << 31

    struct Directive: Sendable, Hashable {
        /// In lower case.
        var name: String
        /// Without its quotes.
        var value: String?
    }

    let directives: [Directive]

    /// - Parameter lines: The values of the field, in order.
    init(_ lines: [String]) {
        directives = lines.flatMap(Self.elements).compactMap(Self.directive)
    }

    init(_ fields: FieldList) { self.init(fields.values("Cache-Control")) }

    func has(_ name: String) -> Bool { directives.contains { $0.name == name } }

    /// Seconds of a directive, at most `longest`; `nil` without the directive and for a value that is no number.
    func seconds(_ name: String) -> Int? {
        directives.first { $0.name == name }?.value?.decimal(upTo: Self.longest)
    }

    /// Whether `name` stands there for the whole message, not for some of its fields.
    func appliesToAll(_ name: String) -> Bool {
        directives.contains { $0.name == name && fieldNames($0.value).isEmpty }
    }

    /// The fields that `no-cache` or `private` is limited to.
    func fieldNames(of name: String) -> [String] {
        directives.filter { $0.name == name }.flatMap { fieldNames($0.value) }
    }

    /// A list with anything but names in it is no list: the directive then stands for all.
    private func fieldNames(_ value: String?) -> [String] {
        let names = (value ?? "").split(separator: ",").map { String($0).trimmedOWS }.filter { !$0.isEmpty }
        return names.allSatisfy(\.isToken) ? names : []
    }

    /// Splits at commas outside quotes; a quote that never ends is a character like others.
    private static func elements(_ line: String) -> [Substring] {
        let bytes = line.utf8
        var elements: [Substring] = []
        var start = bytes.startIndex
        var place = start
        while place < bytes.endIndex {
            switch bytes[place] {
            case UInt8(ascii: "\""): place = closing(bytes, from: place) ?? place
            case UInt8(ascii: ","):
                elements.append(line[start..<place])
                start = bytes.index(after: place)
            default: break
            }
            place = bytes.index(after: place)
        }
        elements.append(line[start...])
        return elements
    }

    private static func closing(_ bytes: String.UTF8View, from quote: String.Index) -> String.Index? {
        var place = bytes.index(after: quote)
        while place < bytes.endIndex {
            if bytes[place] == UInt8(ascii: "\"") { return place }
            if bytes[place] == UInt8(ascii: "\\") { place = bytes.index(after: place) }
            guard place < bytes.endIndex else { return nil }
            place = bytes.index(after: place)
        }
        return nil
    }

    private static func directive(_ element: Substring) -> Directive? {
        let text = String(element).trimmedOWS
        guard let equals = text.firstIndex(of: "=") else {
            return text.isEmpty ? nil : Directive(name: text.lowercased(), value: nil)
        }
        // White space around `=` is not allowed: the name still counts, its number does not.
        let name = String(text[..<equals])
        let value = String(text[text.index(after: equals)...])
        guard name.trimmedOWS == name else { return Directive(name: name.trimmedOWS.lowercased(), value: " " + value) }
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
