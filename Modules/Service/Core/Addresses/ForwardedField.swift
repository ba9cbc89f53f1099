import StrataHTTP

/// The elements of `Forwarded` (RFC 7239, section 4): one for each proxy, the first of them nearest to the client.
struct ForwardedField: Sendable, Hashable {
    /// The parameters of each element, their names in small letters.
    let elements: [[String: String]]

    /// - Parameter values: The field's lines, in order; together they are one list.
    /// - Returns: `nil` for what is no such list; then none of it can be believed.
    init?(_ values: [String]) {
        var reader = Reader(rest: Array(values.joined(separator: ",").utf8)[...])
        guard let elements = reader.elements() else { return nil }
        self.elements = elements
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>

        mutating func elements() -> [[String: String]]? {
            var elements: [[String: String]] = []
            repeat {
                guard let element = element() else { return nil }
                // An empty element is legal in a list and says nothing (RFC 9110, section 5.6.1.2).
                if !element.isEmpty { elements.append(element) }
            } while take(UInt8(ascii: ","))
            return rest.isEmpty ? elements : nil
        }

        private mutating func element() -> [String: String]? {
            var pairs: [String: String] = [:]
            repeat {
                skipSpace()
                guard let name = token() else { continue }
                guard take(UInt8(ascii: "=")), let value = quoted() ?? token(),
                    pairs.updateValue(value, forKey: name.lowercased()) == nil
                else { return nil }
                skipSpace()
            } while take(UInt8(ascii: ";"))
            return pairs
        }

        private mutating func skipSpace() { rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") } }

        private mutating func take(_ byte: UInt8) -> Bool {
            guard rest.first == byte else { return false }
            rest.removeFirst()
            return true
        }

        private mutating func token() -> String? {
            let token = rest.prefix { $0.isTokenByte }
            guard !token.isEmpty else { return nil }
            rest = rest.dropFirst(token.count)
            return String(decoding: token, as: UTF8.self)
        }

        /// RFC 9110, section 5.6.4.
        private mutating func quoted() -> String? {
            guard rest.first == UInt8(ascii: "\"") else { return nil }
            var place = rest.startIndex + 1
            var text: [UInt8] = []
            while place < rest.endIndex {
                var byte = rest[place]
                if byte == UInt8(ascii: "\"") {
                    rest = rest[(place + 1)...]
                    return String(decoding: text, as: UTF8.self)
                }
                if byte == UInt8(ascii: "\\") {
                    place += 1
                    guard place < rest.endIndex else { return nil }
                    byte = rest[place]
                }
                text.append(byte)
                place += 1
            }
            return nil
        }
    }
}

extension UInt8 {
    /// Whether the byte may stand in a token (RFC 9110, section 5.6.2).
    var isTokenByte: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(self)
        }
    }
}
