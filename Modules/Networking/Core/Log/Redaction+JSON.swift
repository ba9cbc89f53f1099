extension Redaction {
    /// JSON text with the values of sensitive members masked. Works on a cut-off document too, and on no JSON at all.
    public func json(_ text: String) -> String {
        var scanner = JSONScanner(bytes: Array(text.utf8))
        return scanner.redact { isSensitive($0) }
    }
}

/// Walks over JSON tokens without building values, so that a cut-off document is still redacted.
private struct JSONScanner {
    let bytes: [UInt8]
    private var place = 0
    private var output: [UInt8] = []

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func redact(_ isSensitive: (String) -> Bool) -> String {
        while place < bytes.count {
            guard bytes[place] == UInt8(ascii: "\"") else {
                output.append(bytes[place])
                place += 1
                continue
            }
            let start = place
            skipString()
            output += bytes[start..<place]
            let name = bytes[start..<place].dropFirst().dropLast()
            copySpace()
            guard place < bytes.count, bytes[place] == UInt8(ascii: ":") else { continue }
            output.append(bytes[place])
            place += 1
            copySpace()
            // An escaped name is not decoded here: it counts as sensitive.
            if name.contains(UInt8(ascii: "\\")) || isSensitive(String(decoding: name, as: UTF8.self)) {
                let before = place
                skipValue()
                if place > before { output += Array("\"\(Redaction.mask)\"".utf8) }
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    private mutating func copySpace() {
        while place < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[place]) {
            output.append(bytes[place])
            place += 1
        }
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
