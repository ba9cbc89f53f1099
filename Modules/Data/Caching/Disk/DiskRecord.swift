import Crypto
import FoundationEssentials
import StrataDomain

/// What stands for a key on disk: SHA-256 of its text. Nobody reads from a cache file what was asked for.
struct KeyDigest: Sendable, Hashable {
    /// The digest as it lies in memory.
    ///
    /// No vector, which would have to lie at every 32nd byte, and so everything that holds a key.
    struct Words: Sendable, Hashable, BitwiseCopyable {
        var x, y, z, w: UInt64
    }

    let words: Words

    static let length = 32

    init(_ key: CacheKey) { self.init(key.text, "") }

    init(principal: String, url: String) { self.init(PercentEncoding.encode(principal) + " ", url) }

    /// - Returns: `nil` for another length than a digest has.
    init?(bytes: Data) {
        guard bytes.count == Self.length else { return nil }
        words = bytes.withUnsafeBytes { $0.loadUnaligned(as: Words.self) }
    }

    private init(_ first: String, _ second: String) {
        var (first, second) = (first, second)
        let (left, right) = (first.utf8.count, second.utf8.count)
        // Hashed from the stack: a look-up on disk takes a few microseconds, and each allocation is a part of them.
        words = withUnsafeTemporaryAllocation(byteCount: left + right, alignment: 1) { text in
            first.withUTF8 { text.copyBytes(from: $0) }
            second.withUTF8 { UnsafeMutableRawBufferPointer(rebasing: text[left...]).copyBytes(from: $0) }
            var hash = SHA256()
            hash.update(bufferPointer: UnsafeRawBufferPointer(text))
            return hash.finalize().withUnsafeBytes { $0.loadUnaligned(as: Words.self) }
        }
    }

    var bytes: Data { withUnsafeBytes(of: words) { Data($0) } }

    /// The digest is random already.
    func hash(into hasher: inout Hasher) { hasher.combine(words.x) }
}

/// What a record is found by: a key, and one of several under it.
struct RecordName: Sendable, Hashable {
    let key: KeyDigest
    /// `nil` where a key has one record only.
    let item: UUID?
    /// Ties the checksums to the name, so that no record is taken for another.
    let seed: UInt64

    init(_ key: KeyDigest, item: UUID? = nil) {
        self.key = key
        self.item = item
        seed = item.map { withUnsafeBytes(of: $0.uuid) { Checksum.of($0, seed: key.words.x) } } ?? key.words.x
    }

    /// Number of the row: 40 bits of the key, so that the records of one key lie together, and 24 of the item.
    ///
    /// Two names with one number take each other's place, which a cache may; the row has both names in full.
    var row: Int64 { Int64(bitPattern: key.words.y & ~Self.itemBits | (item == nil ? 0 : seed & Self.itemBits)) }

    /// Numbers of all rows of a key.
    static func rows(of key: KeyDigest) -> ClosedRange<Int64> {
        Int64(bitPattern: key.words.y & ~itemBits)...Int64(bitPattern: key.words.y | itemBits)
    }

    private static let itemBits: UInt64 = 0xFF_FFFF

    /// The sum stands for all of it.
    func hash(into hasher: inout Hasher) { hasher.combine(seed) }
}

/// One entry of a cache file: a small head, and a body that is read with it or later.
struct DiskRecord: Sendable, Hashable {
    var item: UUID?
    var head: Data
    var body: Data
    var keptUntil: Date
    /// Names under which it is removed.
    var tags: Set<String> = []

    /// Tells one version of a record from another, and a whole one from a damaged one.
    struct Stamp: Sendable, Hashable {
        var head: UInt64
        var body: UInt64
    }

    func stamp(for key: KeyDigest) -> Stamp { stamp(for: key, packed: packed) }

    func stamp(for key: KeyDigest, packed: Data) -> Stamp {
        let seed = RecordName(key, item: item).seed
        return Stamp(
            head: Self.sum(packed: packed, keptUntil: keptUntil, seed: seed), body: Checksum.of(body, seed: seed))
    }

    static func sum(packed: Data, keptUntil: Date, seed: UInt64) -> UInt64 {
        Checksum.of(packed, seed: seed ^ keptUntil.timeIntervalSinceReferenceDate.bitPattern)
    }

    /// Tags and head as one, under one checksum: whoever can use the head knows its tags.
    var packed: Data {
        var writer = ByteWriter()
        writer.write(tags.count)
        for tag in tags.sorted() { writer.write(tag) }
        var packed = writer.bytes
        packed.append(head)
        return packed
    }
}

extension DiskRecord {
    init?(item: UUID?, packed: Data, body: Data, keptUntil: Date) {
        var reader = ByteReader(packed)
        guard let count = try? reader.count() else { return nil }
        var tags: Set<String> = []
        for _ in 0..<count {
            guard let tag = try? reader.text() else { return nil }
            tags.insert(tag)
        }
        self.init(item: item, head: reader.rest, body: body, keptUntil: keptUntil, tags: tags)
    }
}
