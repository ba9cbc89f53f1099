import FoundationEssentials
import StrataDomain

/// A JSON object with comments, `// to the end of the line` and `/* … */`, whose members are set without touching the rest.
struct CommentedJSON: Sendable {
    private(set) var bytes: [UInt8]

    init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    /// The document with spaces in the place of comments; every other byte stays where it is.
    var withoutComments: [UInt8] {
        var (clean, place) = (bytes, 0)
        func starts(_ text: StaticString, at place: Int) -> Bool {
            place + 1 < bytes.count && bytes[place] == text.utf8Start[0] && bytes[place + 1] == text.utf8Start[1]
        }
        func blank(_ place: Int) { if bytes[place] != Self.newline { clean[place] = Self.space } }
        while place < bytes.count {
            if bytes[place] == Self.quote {
                place = Self.end(ofString: place, in: bytes)
            } else if starts("//", at: place) {
                while place < bytes.count, bytes[place] != Self.newline {
                    blank(place)
                    place += 1
                }
            } else if starts("/*", at: place) {
                let begin = place
                place += 2
                while place < bytes.count, !starts("*/", at: place) { place += 1 }
                place = min(place + 2, bytes.count)
                for inside in begin..<place { blank(inside) }
            } else {
                place += 1
            }
        }
        return clean
    }

    /// Sets the text of a member; objects on the way to it are made.
    ///
    /// - Parameter path: Names, outermost first; not empty.
    /// - Precondition: Without comments the document is a JSON object.
    mutating func set(_ text: String, at path: [String]) throws {
        var rest = path[...]
        guard var object = object(at: 0) else { return }
        while let name = rest.popFirst() {
            let member = try object.members.last { try Self.string(bytes[$0.name]) == name }
            if let member, rest.isEmpty {
                bytes.replaceSubrange(member.value, with: try Self.json(text))
                return
            }
            if let member, let inner = self.object(at: member.value.lowerBound) {
                object = inner
                continue
            }
            // The missing objects come with the member.
            var value = String(decoding: try Self.json(text), as: UTF8.self)
            for name in rest.reversed() {
                value = "{\(String(decoding: try Self.json(name), as: UTF8.self)): \(value)}"
            }
            try insert(name, value, into: object, depth: path.count - rest.count)
            return
        }
    }

    private struct Object {
        var members: [(name: Range<Int>, value: Range<Int>)] = []
        /// The place of its closing brace.
        var end = 0
    }

    private mutating func insert(_ name: String, _ value: String, into object: Object, depth: Int) throws {
        let indent = String(repeating: "  ", count: depth)
        // A comment that ends the last line stays on it.
        var place = object.end
        while place > 0, [Self.space, Self.newline, 0x09, 0x0D].contains(bytes[place - 1]) { place -= 1 }
        let isOneLine = !bytes[place..<object.end].contains(Self.newline)
        let member = "\n\(indent)\(String(decoding: try Self.json(name), as: UTF8.self)): \(value)"
        let end = isOneLine ? "\n\(indent.dropLast(2))" : ""
        bytes.insert(contentsOf: Array((member + end).utf8), at: place)
        if let last = object.members.last { bytes.insert(UInt8(ascii: ","), at: last.value.upperBound) }
    }

    // MARK: - Scanning

    /// The object that begins at `start`, or after spaces there; `nil` for another value.
    private func object(at start: Int) -> Object? {
        let text = withoutComments
        var place = Self.next(start, text)
        guard place < text.count, text[place] == UInt8(ascii: "{") else { return nil }
        var object = Object()
        place = Self.next(place + 1, text)
        while place < text.count, text[place] == Self.quote {
            let name = place..<Self.end(ofString: place, in: text)
            // After the colon.
            let value = Self.next(Self.next(name.upperBound, text) + 1, text)
            let end = Self.end(ofValue: value, in: text)
            guard value < end else { return nil }
            object.members.append((name, value..<end))
            place = Self.next(end, text)
            if place < text.count, text[place] == UInt8(ascii: ",") { place = Self.next(place + 1, text) }
        }
        object.end = place
        return place < text.count ? object : nil
    }

    /// The first byte from `place` on that is no space.
    private static func next(_ place: Int, _ text: [UInt8]) -> Int {
        var place = place
        while place < text.count, [space, newline, 0x09, 0x0D].contains(text[place]) { place += 1 }
        return place
    }

    private static func end(ofString start: Int, in text: [UInt8]) -> Int {
        var place = start + 1
        while place < text.count, text[place] != quote { place += text[place] == UInt8(ascii: "\\") ? 2 : 1 }
        return min(place + 1, text.count)
    }

    private static func end(ofValue start: Int, in text: [UInt8]) -> Int {
        var (place, depth) = (start, 0)
        while place < text.count {
            switch text[place] {
            case quote:
                place = end(ofString: place, in: text)
                if depth == 0 { return place }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return place }
                depth -= 1
                if depth == 0 { return place + 1 }
            case UInt8(ascii: ","), space, newline, 0x09, 0x0D: if depth == 0 { return place }
            default: break
            }
            place += 1
        }
        return place
    }

    private static func string(_ bytes: ArraySlice<UInt8>) throws -> String {
        try WireJSON.decode(JSONValue.self, from: Data(bytes)).string ?? ""
    }

    private static func json(_ text: String) throws -> [UInt8] { Array(try WireJSON.encode(JSONValue.string(text))) }

    private static let quote = UInt8(ascii: "\"")
    private static let space = UInt8(ascii: " ")
    private static let newline = UInt8(ascii: "\n")
}
