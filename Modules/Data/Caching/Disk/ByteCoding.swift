import FoundationEssentials

/// Writes values one after the other, texts with their length before them.
struct ByteWriter {
    private(set) var bytes = Data()

    mutating func write(_ number: UInt64) {
        // A buffer of a type, since bytes in the raw are appended one by one.
        withUnsafePointer(to: number.littleEndian) { bytes.append(UnsafeBufferPointer(start: $0, count: 1)) }
    }
    mutating func write(_ number: Int) { write(UInt64(bitPattern: Int64(number))) }
    mutating func write(_ date: Date) { write(date.timeIntervalSinceReferenceDate.bitPattern) }
    mutating func write(_ flag: Bool) { bytes.append(flag ? 1 : 0) }

    mutating func write(_ text: String) {
        var text = text
        write(text.utf8.count)
        text.withUTF8 { bytes.append($0) }
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

    var rest: Data { bytes.subdata(in: place..<bytes.endIndex) }

    mutating func number() throws(Malformed) -> UInt64 {
        let range = try take(8)
        return bytes.withUnsafeBytes {
            UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: range.lowerBound, as: UInt64.self))
        }
    }

    mutating func integer() throws(Malformed) -> Int { Int(Int64(bitPattern: try number())) }
    mutating func date() throws(Malformed) -> Date {
        Date(timeIntervalSinceReferenceDate: Double(bitPattern: try number()))
    }
    mutating func flag() throws(Malformed) -> Bool {
        let range = try take(1)
        return bytes.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in bytes[range.lowerBound] == 1 }
    }
    mutating func text() throws(Malformed) -> String {
        let range = try take(try integer())
        return bytes.withUnsafeBytes { String(decoding: UnsafeRawBufferPointer(rebasing: $0[range]), as: UTF8.self) }
    }

    /// A count of things that take at least eight bytes each.
    mutating func count() throws(Malformed) -> Int {
        let count = try integer()
        guard count >= 0, count <= (bytes.endIndex - place) / 8 else { throw Malformed() }
        return count
    }

    /// Goes on by `count` bytes.
    ///
    /// - Returns: Where they lie in the memory of `bytes`, from zero.
    private mutating func take(_ count: Int) throws(Malformed) -> Range<Int> {
        guard count >= 0, count <= bytes.endIndex - place else { throw Malformed() }
        defer { place += count }
        let start = place - bytes.startIndex
        return start..<start + count
    }
}
