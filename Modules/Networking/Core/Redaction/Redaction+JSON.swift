extension Redaction {
    /// JSON text with the values of sensitive members masked, and every text that is not the value of a member in
    /// `shownNames`: free text may hold anything. Numbers, names and the form stay. Works on a cut-off document too, and on
    /// no JSON at all.
    public func json(_ text: String) -> String {
        var scanner = JSONScanner(bytes: Array(text.utf8))
        return scanner.redact { name in
            if isSensitive(name) { return .nothing }
            return Self.shownNames.contains(name) ? .texts : .rest
        }
    }

    /// JSON text that can still be decoded as before: texts under sensitive names are masked and numbers there are 0, also
    /// inside of arrays and objects. Everything else stays. Works on a cut-off document, and on several in a row, too.
    ///
    /// - Parameters:
    ///   - isSensitive: Asked for the name of each member.
    ///   - shown: What stands for any other text, which is given and returned as JSON has it, escaped and with its quotes.
    func members(
        of text: String, where isSensitive: (String) -> Bool, shown: (String) -> String
    ) -> String {
        var scanner = JSONScanner(bytes: Array(text.utf8))
        return scanner.redactMembers(where: isSensitive, shown: shown)
    }

    /// Members whose texts are words of a protocol: of problem documents (RFC 9457), OAuth (RFC 6749) and our resources.
    private static let shownNames: Set<String> = [
        "type", "title", "status", "code", "request_id", "field", "token_type", "grant_type", "severity", "role", "id",
        "created_at", "updated_at", "occurred_at",
    ]
}

/// What may be shown of the value of a member.
private enum Shown {
    case nothing
    /// All but texts.
    case rest
    case texts
}

/// Walks over JSON tokens without building values, so that a cut-off document is still redacted.
private struct JSONScanner {
    let bytes: [UInt8]
    private var place = 0
    private var output: [UInt8] = []

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func redact(_ shown: (String) -> Shown) -> String {
        while place < bytes.count {
            guard bytes[place] == UInt8(ascii: "\"") else {
                copyUnquoted()
                continue
            }
            let start = place
            skipString()
            let text = bytes[start..<place]
            let space = skipSpace()
            // A string without a colon after it is a value of an array, or one whose name is not known.
            guard place < bytes.count, bytes[place] == UInt8(ascii: ":") else {
                output += Self.mask + space
                continue
            }
            output += text + space + [bytes[place]]
            place += 1
            output += skipSpace()
            let name = text.dropFirst().dropLast()
            // An escaped name is not decoded here: it counts as sensitive.
            redactValue(name.contains(UInt8(ascii: "\\")) ? .nothing : shown(String(decoding: name, as: UTF8.self)))
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Masks the texts and numbers under sensitive names, and copies all else.
    mutating func redactMembers(where isSensitive: (String) -> Bool, shown: (String) -> String) -> String {
        var depth = 0
        // The depth of the object whose sensitive member is being read.
        var secretDepth: Int?
        while place < bytes.count {
            let start = place
            switch bytes[place] {
            case UInt8(ascii: "\""):
                skipString()
                let text = bytes[start..<place]
                let space = skipSpace()
                guard place < bytes.count, bytes[place] == UInt8(ascii: ":") else {
                    output += secretDepth == nil ? Array(shown(String(decoding: text, as: UTF8.self)).utf8) : Self.mask
                    output += space
                    continue
                }
                output += text + space + [bytes[place]]
                place += 1
                let name = text.dropFirst().dropLast()
                // An escaped name is not decoded here: it counts as sensitive.
                let isSecret =
                    name.contains(UInt8(ascii: "\\")) || isSensitive(String(decoding: name, as: UTF8.self))
                if secretDepth == nil, isSecret { secretDepth = depth }
            case let byte where Self.form.contains(byte):
                // An element of an array under a sensitive name stands deeper than the name.
                if secretDepth == depth, [UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]")].contains(byte) {
                    secretDepth = nil
                }
                if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") { depth += 1 }
                if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") { depth -= 1 }
                output.append(byte)
                place += 1
            default:
                while place < bytes.count, !Self.form.contains(bytes[place]) { place += 1 }
                let word = bytes[start..<place]
                let isPlain = secretDepth == nil || Self.literals.contains(where: word.elementsEqual)
                output += isPlain ? word : [UInt8(ascii: "0")]
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Copies one structural byte, a number or a literal, and masks any other text, which is not JSON.
    private mutating func copyUnquoted() {
        let start = place
        while place < bytes.count, !Self.form.contains(bytes[place]) { place += 1 }
        let word = bytes[start..<place]
        guard !word.isEmpty else {
            output.append(bytes[place])
            place += 1
            return
        }
        let isNumber = word.allSatisfy { (48...57).contains($0) || Self.numberSigns.contains($0) }
        output += isNumber || Self.literals.contains(where: word.elementsEqual) ? word : Self.mask[...]
    }

    private static let form = Set("\"{}[]:, \t\r\n".utf8)
    private static let numberSigns = Set("+-.eE".utf8)
    private static let literals = ["true", "false", "null"].map { Array($0.utf8) }

    private mutating func redactValue(_ shown: Shown) {
        let start = place
        switch shown {
        case .nothing:
            skipValue()
            if place > start { output += Self.mask }
        case .texts where place < bytes.count && bytes[place] == UInt8(ascii: "\""):
            skipString()
            output += bytes[start..<place]
        case .rest, .texts: break
        }
    }

    private static let mask = Array("\"\(Redaction.mask)\"".utf8)

    private mutating func skipSpace() -> ArraySlice<UInt8> {
        let start = place
        while place < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[place]) { place += 1 }
        return bytes[start..<place]
    }

    /// Past the closing quote, or to the end.
    private mutating func skipString() {
        place += 1
        while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
            place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        place = min(place + 1, bytes.count)
    }

    /// Past a string, a number, a literal, or a whole array or object.
    private mutating func skipValue() {
        var depth = 0
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "\""):
                skipString()
                if depth == 0 { return }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return }
                depth -= 1
                if depth == 0 {
                    place += 1
                    return
                }
            case UInt8(ascii: ",") where depth == 0: return
            default: break
            }
            place += 1
        }
    }
}
