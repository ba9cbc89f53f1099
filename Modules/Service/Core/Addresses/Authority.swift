import StrataHTTP
import StrataSystem

/// Host and port of a `Host` field or a URL (RFC 3986, sections 3.2.2 and 3.2.3).
struct Authority: Sendable, Hashable {
    /// In lower case, without a trailing dot. An address is in its canonical form, without brackets.
    let host: String
    /// 1 to 65535; `nil` when the text has none.
    let port: Int?
    /// The host as an address; `nil` for a name.
    let address: IPAddress?

    /// - Returns: `nil` for user information, a path, several hosts, an IPv6 address without brackets, an invalid port, and
    ///   more than 255 bytes.
    init?(_ text: String) {
        guard (1...255).contains(text.utf8.count) else { return nil }
        let end: String.Index
        if text.hasPrefix("[") {
            guard let close = text.firstIndex(of: "]") else { return nil }
            let inside = text[text.index(after: text.startIndex)..<close]
            guard inside.contains(":"), let address = IPAddress(inside) else { return nil }
            self.address = address
            host = address.description
            end = text.index(after: close)
        } else {
            end = text.firstIndex(of: ":") ?? text.endIndex
            let name = text[..<end]
            guard !name.isEmpty, name != ".", name.utf8.allSatisfy({ $0.isLetterOrDigit || "-._~".utf8.contains($0) })
            else { return nil }
            address = IPAddress(name)
            host = (name.hasSuffix(".") ? name.dropLast() : name).lowercased()
        }
        let rest = text[end...]
        guard rest.count > 1 else {
            guard rest.isEmpty || rest == ":" else { return nil }
            port = nil
            return
        }
        let digits = rest.dropFirst()
        guard rest.hasPrefix(":"), digits.utf8.count <= 5, let number = digits.decimal(), (1...65_535).contains(number)
        else { return nil }
        port = number
    }
}

extension Authority: CustomStringConvertible {
    var description: String { Self.text(host, port) }

    /// Host and port with an IPv6 address in brackets.
    static func text(_ host: String, _ port: Int?) -> String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port.map { "\(name):\($0)" } ?? name
    }
}

extension UInt8 {
    /// Whether the byte is an ASCII letter or digit.
    var isLetterOrDigit: Bool {
        (48...57).contains(self) || (65...90).contains(self) || (97...122).contains(self)
    }
}
