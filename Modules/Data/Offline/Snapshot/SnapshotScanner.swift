import StrataDomain
import StrataSystem

/// Finds the parts of a snapshot's row line in place: `["notes","id",12,1767225600000,{"text":"…"}]`.
///
/// It knows flat rows as our service writes them. Any other line may be valid too; `SnapshotLine` decides.
struct SnapshotScanner {
    typealias Bytes = UnsafeBufferPointer<UInt8>

    enum ValueKind: UInt8 {
        case plainText
        /// With escapes of one letter.
        case escapedText
        case integer
        case yes
        case no
    }

    struct Member {
        /// Without quotation marks.
        var name: Bytes
        /// As in the line, quotation marks included.
        var value: Bytes
        var kind: ValueKind
        /// The value of an integer.
        var integer: Int
    }

    private(set) var collection = Bytes(start: nil, count: 0)
    private(set) var id = Bytes(start: nil, count: 0)
    private(set) var version = 0
    private(set) var milliseconds = 0
    /// The canonical content, by name.
    private(set) var members: [Member] = []

    private let bytes: Bytes
    private var place = 0
    private var end = 0
    /// All bytes of texts, combined: the highest bit is set when one is not ASCII.
    private var bits: UInt8 = 0

    init(_ bytes: Bytes) {
        self.bytes = bytes
        members.reserveCapacity(Self.mostMembers)
    }

    /// - Returns: Whether the line, without its line feed, is a flat row.
    mutating func scan(_ line: Range<Int>) -> Bool {
        (place, end, bits) = (line.lowerBound, line.upperBound, 0)
        members.removeAll(keepingCapacity: true)
        guard take("["), let name = plainText(), take(","), let key = plainText(), take(","), let number = integer(),
            take(","), let time = integer(), take(","), take("{")
        else { return false }
        (collection, id, version, milliseconds) = (name, key, number, time)
        if !take("}") {
            repeat {
                guard let name = plainText(), take(":"), member(name) else { return false }
            } while take(",")
            guard take("}") else { return false }
        }
        guard take("]"), place == end, Self.years.contains(milliseconds) else { return false }
        return bits < 0x80 || String(validating: bytes[line], as: UTF8.self) != nil
    }

    /// - Returns: `nil` when the row has no member of this name.
    func member(_ name: [UInt8]) -> Member? { members.first { $0.name.elementsEqual(name) } }

    /// Replaces `text` by the canonical content as a JSON object, in the form of `FieldText.encode`.
    func writeContent(to text: inout [UInt8]) {
        text.removeAll(keepingCapacity: true)
        text.append(UInt8(ascii: "{"))
        for (index, member) in members.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            text.append(UInt8(ascii: "\""))
            text.append(contentsOf: member.name)
            text.append(UInt8(ascii: "\""))
            text.append(UInt8(ascii: ":"))
            text.append(contentsOf: member.value)
        }
        text.append(UInt8(ascii: "}"))
    }

    // MARK: - Parts

    private static let mostMembers = 32
    /// 0000 to 9999, the years that a `Date` here may have.
    private static let years = -62_167_219_200_000...253_402_300_799_999

    @inline(__always) private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard place < end, bytes[place] == UInt8(truncatingIfNeeded: character.value) else { return false }
        place += 1
        return true
    }

    private func slice(_ range: Range<Int>) -> Bytes { Bytes(rebasing: bytes[range]) }

    /// Text without escapes and without its quotation marks.
    private mutating func plainText() -> Bytes? {
        let start = place
        guard text() == .plainText else { return nil }
        return slice(start + 1..<place - 1)
    }

    private mutating func text() -> ValueKind? {
        guard take("\"") else { return nil }
        var (place, kind, bits) = (place, ValueKind.plainText, bits)
        while place < end {
            let byte = bytes[place]
            bits |= byte
            if byte == UInt8(ascii: "\"") {
                (self.place, self.bits) = (place + 1, bits)
                return kind
            }
            if byte < 0x20 { return nil }
            if byte == UInt8(ascii: "\\") {
                place += 1
                guard place < end, Self.character(bytes[place]) != nil else { return nil }
                kind = .escapedText
            }
            place += 1
        }
        return nil
    }

    /// At most 18 digits, so that it fits; without the spellings `-0` and `01`.
    private mutating func integer() -> Int? {
        let isNegative = take("-")
        let start = place
        var number = 0
        while place < end, case let digit = Int(bytes[place]) - 48, (0...9).contains(digit), place - start < 19 {
            number = number * 10 + digit
            place += 1
        }
        guard (1...18).contains(place - start), bytes[start] != 48 || (place - start == 1 && !isNegative) else {
            return nil
        }
        return isNegative ? -number : number
    }

    private mutating func member(_ name: Bytes) -> Bool {
        guard place < end else { return false }
        let start = place
        var (kind, number) = (ValueKind.integer, 0)
        switch bytes[place] {
        case UInt8(ascii: "\""):
            guard let text = text() else { return false }
            kind = text
        case UInt8(ascii: "t"):
            guard word("true") else { return false }
            kind = .yes
        case UInt8(ascii: "f"):
            guard word("false") else { return false }
            kind = .no
        case UInt8(ascii: "n"):
            // An absent field.
            return word("null")
        default:
            guard let found = integer() else { return false }
            number = found
        }
        if Self.isOutside(name) { return true }
        return insert(Member(name: name, value: slice(start..<place), kind: kind, integer: number))
    }

    private mutating func word(_ word: StaticString) -> Bool {
        let bytes = Bytes(start: word.utf8Start, count: word.utf8CodeUnitCount)
        guard place + bytes.count <= end, slice(place..<place + bytes.count).elementsEqual(bytes) else { return false }
        place += bytes.count
        return true
    }

    /// Whether the field describes the row from outside, see `canonical`.
    private static func isOutside(_ name: Bytes) -> Bool {
        switch name.count {
        case 2: name.elementsEqual("id".utf8)
        case 7: name.elementsEqual("version".utf8)
        case 10: name.elementsEqual("updated_at".utf8)
        default: false
        }
    }

    /// Inserts a member in the order of the names.
    ///
    /// - Returns: `false` for a second member of one name, and for one member too many.
    private mutating func insert(_ member: Member) -> Bool {
        guard members.count < Self.mostMembers else { return false }
        let before = members.lastIndex { !member.name.lexicographicallyPrecedes($0.name) }
        if let before, members[before].name.elementsEqual(member.name) { return false }
        members.insert(member, at: before.map { $0 + 1 } ?? 0)
        return true
    }

    // MARK: - Bytes

    /// The place of the first line feed at or behind `start`.
    static func lineFeed(in bytes: Bytes, from start: Int) -> Int? {
        guard start < bytes.count, let base = bytes.baseAddress else { return nil }
        return memchr(base + start, 0x0A, bytes.count - start).map {
            base.distance(to: $0.assumingMemoryBound(to: UInt8.self))
        }
    }

    /// The text without the escapes that the scanner accepts.
    static func unescaped(_ text: Bytes) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = text[...]
        while let byte = rest.popFirst() {
            bytes.append(byte == UInt8(ascii: "\\") ? rest.popFirst().flatMap(character) ?? byte : byte)
        }
        return bytes
    }

    /// The character of the escape `\letter`; `nil` for characters with several spellings.
    private static func character(_ letter: UInt8) -> UInt8? {
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): letter
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: nil
        }
    }
}
