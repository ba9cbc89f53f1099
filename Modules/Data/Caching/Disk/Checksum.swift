import FoundationEssentials

/// XXH64 (github.com/Cyan4973/xxHash, doc/xxhash_spec.md, version 0.2.0), in longer texts after whole blocks were folded
/// into its seed by wide multiplication, which takes a third of the time: finds damage, not forgery.
///
/// Four kilobytes take about a tenth of a microsecond, where SHA-256 takes several; decision 17 has the figures.
enum Checksum {
    static func of(_ bytes: Data, seed: UInt64 = 0) -> UInt64 { bytes.withUnsafeBytes { of($0, seed: seed) } }

    static func of(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
        guard bytes.count >= leastFolded, let start = bytes.baseAddress else { return short(bytes, seed: seed) }
        let blocks = bytes.count / 64
        let folded = fold(start, blocks: blocks, seed: seed ^ UInt64(bytes.count))
        return short(UnsafeRawBufferPointer(rebasing: bytes[(blocks * 64)...]), seed: folded)
    }

    private static let leastFolded = 256

    /// Four lanes of 16 bytes; each takes in two words with one multiplication, whose halves it adds without carry.
    private static func fold(_ start: UnsafeRawPointer, blocks: Int, seed: UInt64) -> UInt64 {
        var (a, b, c, d) = (seed ^ prime1, seed ^ prime2, seed ^ prime3, seed ^ prime4)
        var place = start
        for _ in 0..<blocks {
            a = folded(word(place) ^ prime2, word(place + 8) ^ a)
            b = folded(word(place + 16) ^ prime3, word(place + 24) ^ b)
            c = folded(word(place + 32) ^ prime4, word(place + 40) ^ c)
            d = folded(word(place + 48) ^ prime5, word(place + 56) ^ d)
            place += 64
        }
        return round(round(round(round(seed, a), b), c), d)
    }

    private static func folded(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }

    private static func short(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
        let count = bytes.count
        var place = 0
        var sum: UInt64
        if count >= 32 {
            var (a, b) = (seed &+ prime1 &+ prime2, seed &+ prime2)
            var (c, d) = (seed, seed &- prime1)
            // Without a look at the bounds for each word; the loop keeps them.
            if let start = bytes.baseAddress {
                while count - place >= 32 {
                    a = round(a, word(start + place))
                    b = round(b, word(start + (place + 8)))
                    c = round(c, word(start + (place + 16)))
                    d = round(d, word(start + (place + 24)))
                    place += 32
                }
            }
            sum = rotated(a, 1) &+ rotated(b, 7) &+ rotated(c, 12) &+ rotated(d, 18)
            for lane in [a, b, c, d] { sum = (sum ^ round(0, lane)) &* prime1 &+ prime4 }
        } else {
            sum = seed &+ prime5
        }
        sum = sum &+ UInt64(count)
        while count - place >= 8 {
            sum = rotated(sum ^ round(0, word(bytes, place)), 27) &* prime1 &+ prime4
            place += 8
        }
        if count - place >= 4 {
            let half = UInt64(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)))
            sum = rotated(sum ^ (half &* prime1), 23) &* prime2 &+ prime3
            place += 4
        }
        while place < count {
            sum = rotated(sum ^ (UInt64(bytes[place]) &* prime5), 11) &* prime1
            place += 1
        }
        return mixed(sum)
    }

    private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
    private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
    private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
    private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

    private static func word(_ bytes: UnsafeRawBufferPointer, _ place: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
    }

    private static func word(_ bytes: UnsafeRawPointer) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
    }

    private static func rotated(_ value: UInt64, _ count: UInt64) -> UInt64 {
        (value &<< count) | (value &>> (64 &- count))
    }

    private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
        rotated(lane &+ word &* prime2, 31) &* prime1
    }

    private static func mixed(_ sum: UInt64) -> UInt64 {
        var sum = (sum ^ (sum &>> 33)) &* prime2
        sum = (sum ^ (sum &>> 29)) &* prime3
        return sum ^ (sum &>> 32)
    }
}
