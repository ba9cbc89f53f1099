import FoundationEssentials

/// Follows the keys of a decoding error through the document, to name them as they stand there.
///
/// It only walks over bytes: a document of any size and depth costs one pass without recursion. It expects JSON in UTF-8 that
/// a decoder has accepted; in anything else it finds nothing.
struct DocumentKeys {
    private let bytes: [UInt8]

    /// A place in the document.
    struct Place {
        /// Keys from the root, as the document spells them where it has them.
        var names: [String] = []
        /// The keys of the object there; none for another value.
        var members: [String] = []
    }

    init(_ document: Data) { bytes = Array(document) }

    /// The place that a decoder calls `path`.
    func place(of path: [any CodingKey], in keys: JSONForm.Keys) -> Place {
        var place = Place()
        // The start of the value; `nil` once the document has no such key.
        var position: Int? = space(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)
        for key in path {
            if let index = key.intValue, position.map({ byte($0) != UInt8(ascii: "{") }) ?? true {
                place.names.append(String(index))
                position = position.flatMap { element(index, at: $0) }
                continue
            }
            let name = key.stringValue
            let member = position.flatMap { Self.find(name, keys.spelled(name), in: members(at: $0)) }
            place.names.append(member?.key ?? keys.spelled(name))
            position = member?.value
        }
        place.members = position.map { members(at: $0).map(\.key) } ?? []
        return place
    }

    /// `order_id`, `orderID` and `Order-Id` are spellings of one name.
    static func isSpelling(_ key: String, of name: String) -> Bool { letters(key) == letters(name) }

    private static func letters(_ key: String) -> String {
        key.filter { !"_-. ".contains($0) }.lowercased()
    }

    private typealias Member = (key: String, value: Int)

    private static func find(_ name: String, _ spelled: String, in members: [Member]) -> Member? {
        members.first { $0.key == name } ?? members.first { $0.key == spelled }
            ?? members.first { isSpelling($0.key, of: name) }
    }

    /// The members of the object that starts at `start`, each with the start of its value.
    private func members(at start: Int) -> [Member] {
        guard byte(start) == UInt8(ascii: "{") else { return [] }
        var members: [Member] = []
        var position = space(start + 1)
        while byte(position) == UInt8(ascii: "\""), let end = stringEnd(position) {
            let colon = space(end)
            guard byte(colon) == UInt8(ascii: ":") else { return members }
            let value = space(colon + 1)
            members.append((text(position..<end), value))
            guard let behind = valueEnd(value), byte(space(behind)) == UInt8(ascii: ",") else { return members }
            position = space(space(behind) + 1)
        }
        return members
    }

    private func element(_ index: Int, at start: Int) -> Int? {
        guard byte(start) == UInt8(ascii: "["), index >= 0 else { return nil }
        var position = space(start + 1)
        for _ in 0..<index {
            guard let behind = valueEnd(position), byte(space(behind)) == UInt8(ascii: ",") else { return nil }
            position = space(space(behind) + 1)
        }
        return position
    }

    private func byte(_ position: Int) -> UInt8? { position < bytes.count ? bytes[position] : nil }

    private func space(_ start: Int) -> Int {
        var position = start
        while let byte = byte(position), [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
        return position
    }

    /// Behind the closing quote of the string that starts at `start`.
    private func stringEnd(_ start: Int) -> Int? {
        var position = start + 1
        while let byte = byte(position) {
            switch byte {
            case UInt8(ascii: "\""): return position + 1
            case UInt8(ascii: "\\"): position += 2
            default: position += 1
            }
        }
        return nil
    }

    /// Behind the value that starts at `start`; `nil` when the document ends before it.
    private func valueEnd(_ start: Int) -> Int? {
        var (position, depth) = (start, 0)
        while let byte = byte(position) {
            switch byte {
            case UInt8(ascii: "\""):
                guard let end = stringEnd(position) else { return nil }
                position = end
                if depth == 0 { return position }
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                (position, depth) = (position + 1, depth + 1)
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                // The end of the object or array around a number or word.
                if depth == 0 { return position }
                (position, depth) = (position + 1, depth - 1)
                if depth == 0 { return position }
            case UInt8(ascii: ",") where depth == 0: return position
            default: position += 1
            }
        }
        return nil
    }

    /// The text of a string with its quotes.
    private func text(_ range: Range<Int>) -> String {
        let inner = bytes[range].dropFirst().dropLast()
        let plain = String(decoding: inner, as: UTF8.self)
        guard inner.contains(UInt8(ascii: "\\")) else { return plain }
        return (try? JSONDecoder().decode(String.self, from: Data(bytes[range]))) ?? plain
    }
}
