import FoundationEssentials

/// Writes values one after the other, texts with their length before them.
struct ByteWriter {
    private(set) var bytes = Data()

    mutating func write(_ number: UInt64) { withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) } }
    mutating func write(_ number: Int) { write(UInt64(bitPattern: Int64(number))) }
    mutating func write(_ date: Date) { write(date.timeIntervalSinceReferenceDate.bitPattern) }
    mutating func write(_ flag: Bool) { bytes.append(flag ? 1 : 0) }

    mutating func write(_ text: String) {
        write(text.utf8.count)
        bytes.append(contentsOf: text.utf8)
    }
}

/// Reads what `ByteWriter` wrote; anything else throws.
struct ByteReader {
    struct Malformed: Error {}

    private let bytes: Data
    private var place: Data.Index

    init(_ bytes: Data) {
        self.bytes = bytes
        place = bytes.startIndex
    }

    var rest: Data { Data(bytes[place...]) }

    mutating func number() throws(Malformed) -> UInt64 {
        var number: UInt64 = 0
        for (index, byte) in try take(8).enumerated() { number |= UInt64(byte) << (8 * UInt64(index)) }
        return number
    }

    mutating func integer() throws(Malformed) -> Int { Int(Int64(bitPattern: try number())) }
    mutating func date() throws(Malformed) -> Date {
        Date(timeIntervalSinceReferenceDate: Double(bitPattern: try number()))
    }
    mutating func flag() throws(Malformed) -> Bool { try take(1).first == 1 }
    mutating func text() throws(Malformed) -> String { String(decoding: try take(try integer()), as: UTF8.self) }

    /// A count of things that take at least eight bytes each.
    mutating func count() throws(Malformed) -> Int {
        let count = try integer()
        guard count >= 0, count <= (bytes.endIndex - place) / 8 else { throw Malformed() }
        return count
    }

    private mutating func take(_ count: Int) throws(Malformed) -> Data.SubSequence {
        guard count >= 0, count <= bytes.endIndex - place else { throw Malformed() }
        defer { place += count }
        return bytes[place..<place + count]
    }
}
