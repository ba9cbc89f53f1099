import StrataDomain
import StrataSystem

/// Finds the parts of a snapshot's row line in place: `["notes","id",12,1767225600000,{"text":"…"}]`.
///
/// It knows flat rows as our service writes them. A line it does not know may be right all the same, and is read by
/// `SnapshotLine` then, so nothing here decides what is an error.
struct SnapshotScanner {
    /// Places in the bytes that are scanned, which are never more than some megabytes.
    struct Slice: Sendable {
        private let from: Int32
        private let to: Int32

        init(start: Int = 0, end: Int = 0) {
            (from, to) = (Int32(truncatingIfNeeded: start), Int32(truncatingIfNeeded: end))
        }

        var start: Int { Int(from) }
        var end: Int { Int(to) }
        var count: Int { end - start }
    }

    enum Shape: UInt8 {
        case plainText
        /// With escapes of one letter.
        case escapedText
        case integer
        case yes
        case no
    }

    struct Member {
        /// Without quotation marks.
        var name: Slice
        /// As it is in the line, quotation marks included.
        var value: Slice
        var shape: Shape
        var integer: Int
    }

    private(set) var collection = Slice()
    private(set) var id = Slice()
    private(set) var version = 0
    private(set) var milliseconds = 0
    /// The canonical content, by name.
    private(set) var members: [Member] = []

    private let bytes: UnsafePointer<UInt8>
    private var place = 0
    private var end = 0
    private var bits: UInt8 = 0

    init(_ bytes: UnsafePointer<UInt8>) {
        self.bytes = bytes
        members.reserveCapacity(Self.mostMembers)
    }

    /// - Returns: Whether the line, without its line feed, is a row of a shape known here.
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
        return bits < 0x80 || isUTF8(line)
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

    /// Text without escapes, as a slice without its quotation marks.
    private mutating func plainText() -> Slice? {
        guard let (slice, isPlain) = text(), isPlain else { return nil }
        return Slice(start: slice.start + 1, end: slice.end - 1)
    }

    private mutating func text() -> (Slice, isPlain: Bool)? {
        let start = place
        guard take("\"") else { return nil }
        var (place, isPlain, bits) = (place, true, bits)
        while place < end {
            let byte = bytes[place]
            bits |= byte
            if byte == UInt8(ascii: "\"") {
                (self.place, self.bits) = (place + 1, bits)
                return (Slice(start: start, end: place + 1), isPlain)
            }
            if byte < 0x20 { return nil }
            if byte == UInt8(ascii: "\\") {
                place += 1
                guard place < end, Self.unescaped(bytes[place]) != nil else { return nil }
                isPlain = false
            }
            place += 1
        }
        return nil
    }

    /// What stands for the escape `\letter`; `nil` for those that have several spellings.
    static func unescaped(_ letter: UInt8) -> UInt8? {
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): letter
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: nil
        }
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

    private mutating func member(_ name: Slice) -> Bool {
        let start = place
        guard place < end else { return false }
        var (shape, number) = (Shape.integer, 0)
        switch bytes[place] {
        case UInt8(ascii: "\""):
            guard let (_, isPlain) = text() else { return false }
            shape = isPlain ? .plainText : .escapedText
        case UInt8(ascii: "t"):
            guard word("true") else { return false }
            shape = .yes
        case UInt8(ascii: "f"):
            guard word("false") else { return false }
            shape = .no
        case UInt8(ascii: "n"):
            // An absent field.
            return word("null")
        default:
            guard let found = integer() else { return false }
            number = found
        }
        if isOutside(name) { return true }
        return insert(Member(name: name, value: Slice(start: start, end: place), shape: shape, integer: number))
    }

    private mutating func word(_ word: StaticString) -> Bool {
        let count = word.utf8CodeUnitCount
        guard place + count <= end, Self.areEqual(bytes + place, word.utf8Start, count) else { return false }
        place += count
        return true
    }

    /// Fields that describe a row from outside, see `canonical`.
    private func isOutside(_ name: Slice) -> Bool {
        self.name(name, is: "id") || self.name(name, is: "version") || self.name(name, is: "updated_at")
    }

    private func name(_ name: Slice, is word: StaticString) -> Bool {
        name.count == word.utf8CodeUnitCount && Self.areEqual(bytes + name.start, word.utf8Start, name.count)
    }

    /// Keeps the members in order.
    ///
    /// - Returns: `false` for a name that is there already, or one too many.
    private mutating func insert(_ member: Member) -> Bool {
        guard members.count < Self.mostMembers else { return false }
        var index = members.count
        while index > 0 {
            let other = members[index - 1].name
            let order = Self.order(bytes + other.start, other.count, bytes + member.name.start, member.name.count)
            if order == 0 { return false }
            if order < 0 { break }
            index -= 1
        }
        members.insert(member, at: index)
        return true
    }

    private func isUTF8(_ line: Range<Int>) -> Bool {
        String(validating: UnsafeBufferPointer(start: bytes + line.lowerBound, count: line.count), as: UTF8.self) != nil
    }

    /// The place of the first line feed at or behind `start`.
    static func lineFeed(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        guard start < bytes.count, let base = bytes.baseAddress else { return nil }
        return memchr(base + start, 0x0A, bytes.count - start).map {
            base.distance(to: $0.assumingMemoryBound(to: UInt8.self))
        }
    }

    @inline(__always)
    static func areEqual(_ left: UnsafePointer<UInt8>, _ right: UnsafePointer<UInt8>, _ count: Int) -> Bool {
        for index in 0..<count where left[index] != right[index] { return false }
        return true
    }

    /// Below zero when the left one comes first.
    private static func order(
        _ left: UnsafePointer<UInt8>, _ leftCount: Int, _ right: UnsafePointer<UInt8>, _ rightCount: Int
    ) -> Int {
        for index in 0..<min(leftCount, rightCount) where left[index] != right[index] {
            return Int(left[index]) - Int(right[index])
        }
        return leftCount - rightCount
    }
}
