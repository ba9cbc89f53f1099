/// The `; name=value` pairs of a header field, names in lower case, in order.
struct HeaderParameters: Sendable {
    /// How a quoted value hides its quotes.
    enum Escapes: Sendable {
        /// Any character behind a backslash (RFC 9110, section 5.6.4).
        case backslash
        /// What browsers write in a form, `%22`, `%0D` and `%0A` (WHATWG HTML, "multipart form data"), and what everybody
        /// else writes, `\"` and `\\`; any other backslash is one, as in `C:\note.txt`.
        case form
    }

    private(set) var pairs: [(name: String, value: String)] = []

    /// - Returns: `nil` for anything but pairs of a token and a token or a closed quoted text.
    init?(_ text: Substring, escapes: Escapes) {
        var rest = text.utf8[...]
        while true {
            rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
            guard let separator = rest.popFirst() else { return }
            guard separator == UInt8(ascii: ";") else { return nil }
            rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
            // A semicolon at the end is harmless (RFC 9110, section 5.6.6).
            if rest.isEmpty || rest.first == UInt8(ascii: ";") { continue }
            guard let name = Self.token(&rest), rest.popFirst() == UInt8(ascii: "="),
                let value = Self.value(&rest, escapes)
            else { return nil }
            pairs.append((name.lowercased(), value))
        }
    }

    func values(_ name: String) -> [String] { pairs.filter { $0.name == name }.map(\.value) }

    static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    /// 1 or more characters of RFC 9110, section 5.6.2.
    private static func token(_ rest: inout Substring.UTF8View) -> String? {
        let token = rest.prefix(while: isToken)
        rest = rest.dropFirst(token.count)
        return token.isEmpty ? nil : String(Substring(token))
    }

    private static func value(_ rest: inout Substring.UTF8View, _ escapes: Escapes) -> String? {
        guard rest.first == UInt8(ascii: "\"") else { return token(&rest) }
        rest = rest.dropFirst()
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""):
                return String(validating: bytes, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let next = rest.first else { return nil }
                if escapes == .backslash || next == UInt8(ascii: "\"") || next == UInt8(ascii: "\\") {
                    rest = rest.dropFirst()
                    bytes.append(next)
                } else {
                    bytes.append(byte)
                }
            case UInt8(ascii: "%") where escapes == .form:
                if let hidden = hidden(rest.prefix(2)) {
                    rest = rest.dropFirst(2)
                    bytes.append(hidden)
                } else {
                    bytes.append(byte)
                }
            default: bytes.append(byte)
            }
        }
        return nil
    }

    private static func hidden(_ digits: Substring.UTF8View) -> UInt8? {
        switch String(Substring(digits)).uppercased() {
        case "22": UInt8(ascii: "\"")
        case "0D": 0x0D
        case "0A": 0x0A
        default: nil
        }
    }
}
