import FoundationEssentials

/// The names of the members of JSON objects.
enum JSONMembers {
    /// Whether an object in `text`, at any depth, has two members of the same name after unescaping.
    ///
    /// - Parameter text: Valid JSON; for anything else the result is meaningless.
    static func repeatsName(in text: Data) -> Bool {
        // The names of each open object; `nil` for an array.
        var open: [Set<String>?] = []
        var place = text.startIndex
        // The last string. A colon makes it a name.
        var last: Range<Data.Index>?
        while place < text.endIndex {
            switch text[place] {
            case UInt8(ascii: "{"): open.append([])
            case UInt8(ascii: "["): open.append(nil)
            case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = open.popLast()
            case UInt8(ascii: "\""):
                let end = endOfString(text, from: place)
                last = place..<end
                place = end
                continue
            case UInt8(ascii: ":"):
                guard let range = last, var names = open.last ?? nil else { break }
                guard let name = try? JSONDecoder().decode(String.self, from: text[range]), names.insert(name).inserted
                else { return true }
                open[open.count - 1] = names
            default: break
            }
            place += 1
        }
        return false
    }

    /// The index after the string that begins at `start`.
    private static func endOfString(_ text: Data, from start: Data.Index) -> Data.Index {
        var place = start + 1
        while place < text.endIndex, text[place] != UInt8(ascii: "\"") {
            place += text[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(place + 1, text.endIndex)
    }
}
