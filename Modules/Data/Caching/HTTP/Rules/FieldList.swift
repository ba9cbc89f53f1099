import StrataDomain

/// Header fields as they are stored: in order, names repeated where they were.
typealias FieldList = [StoredResponse.Field]

extension [StoredResponse.Field] {
    init(_ headers: HeaderFields) { self = headers.map { StoredResponse.Field($0.name, $0.value) } }

    func values(_ name: String) -> [String] {
        filter { $0.name.equalsIgnoringCase(name) }.map(\.value)
    }

    func value(_ name: String) -> String? { first { $0.name.equalsIgnoringCase(name) }?.value }

    /// The elements of a list field over all its lines, without white space and empty ones (RFC 9110, section 5.6.1).
    func elements(_ name: String) -> [String] {
        values(name).flatMap { $0.split(separator: ",").map { String($0).trimmedOWS } }.filter { !$0.isEmpty }
    }

    mutating func remove(_ name: String) { removeAll { $0.name.equalsIgnoringCase(name) } }

    /// Puts `value` in place of all values of `name`.
    mutating func set(_ name: String, _ value: String) {
        remove(name)
        append(StoredResponse.Field(name, value))
    }

    var headers: HeaderFields {
        var headers = HeaderFields()
        for field in self { headers.add(field.name, field.value) }
        return headers
    }
}

extension String {
    /// Without spaces and tabs at both ends (RFC 9110, section 5.6.3).
    var trimmedOWS: String {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
        let start = utf8.firstIndex { !isSpace($0) } ?? utf8.endIndex
        guard start < utf8.endIndex, let last = utf8.lastIndex(where: { !isSpace($0) }) else { return "" }
        return String(self[start...last])
    }

    /// Whether it may name a field (RFC 9110, section 5.6.2).
    var isToken: Bool {
        !isEmpty
            && utf8.allSatisfy { byte in
                (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                    || "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
    }

    /// The number of a text of decimal digits and nothing else, `limit` where it is larger; `nil` for any other text.
    func decimal(upTo limit: Int) -> Int? {
        guard !isEmpty else { return nil }
        var number = 0
        for byte in utf8 {
            guard (48...57).contains(byte) else { return nil }
            number = Swift.min(limit, number * 10 + Int(byte - 48))
        }
        return number
    }
}
