/// The `; name=value` pairs of a header field in order, with names in lower case (RFC 9110, section 5.6.6).
package struct FieldParameters: Sendable {
    /// How a quoted value escapes its quotes.
    package enum Escapes: Sendable {
        /// A backslash before any character (RFC 9110, section 5.6.4).
        case backslash
        /// `%22`, `%0D` and `%0A`, as browsers write in a form (WHATWG HTML, "multipart form data"), and `\"` and `\\`, as
        /// other clients write. Any other backslash stands for itself, as in `C:\note.txt`.
        case form
    }

    package private(set) var pairs: [(name: String, value: String)] = []

    /// - Parameter text: Empty, or text that starts with a semicolon.
    /// - Returns: `nil` unless each pair is a token, `=`, and a token or a closed quoted string.
    package init?(_ text: Substring, escapes: Escapes = .backslash) {
        var rest = text.utf8[...]
        while true {
            rest = rest.drop(while: \.isFieldWhitespace)
            guard let separator = rest.popFirst() else { return }
            guard separator == UInt8(ascii: ";") else { return nil }
            rest = rest.drop(while: \.isFieldWhitespace)
            // RFC 9110, section 5.6.6, allows empty parameters.
            if rest.isEmpty || rest.first == UInt8(ascii: ";") { continue }
            guard let name = Self.token(&rest), rest.popFirst() == UInt8(ascii: "="),
                let value = Self.value(&rest, escapes)
            else { return nil }
            pairs.append((name.lowercased(), value))
        }
    }

    /// The parameters of a field such as `Content-Type: text/plain; charset=utf-8`, after its value.
    package init?(after field: String, escapes: Escapes = .backslash) {
        self.init(field.drop { $0 != ";" }, escapes: escapes)
    }

    /// The values of the parameter `name`, in order.
    package func values(_ name: String) -> [String] { pairs.filter { $0.name == name }.map(\.value) }

    private static func token(_ rest: inout Substring.UTF8View) -> String? {
        let token = rest.prefix(while: \.isTokenByte)
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
                if let unescaped = unescaped(rest.prefix(2)) {
                    rest = rest.dropFirst(2)
                    bytes.append(unescaped)
                } else {
                    bytes.append(byte)
                }
            default: bytes.append(byte)
            }
        }
        return nil
    }

    private static func unescaped(_ digits: Substring.UTF8View) -> UInt8? {
        switch String(Substring(digits)).uppercased() {
        case "22": UInt8(ascii: "\"")
        case "0D": 0x0D
        case "0A": 0x0A
        default: nil
        }
    }
}
