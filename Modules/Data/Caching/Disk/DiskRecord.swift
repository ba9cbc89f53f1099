import Crypto
import FoundationEssentials
import StrataDomain

/// What stands for a key on disk: SHA-256 of its text. Nobody reads from a cache file what was asked for.
struct KeyDigest: Sendable, Hashable {
    let bytes: Data

    init(_ key: CacheKey) { self.init(text: key.text) }

    init(_ key: HTTPCacheKey) {
        self.init(text: "\(PercentEncoding.encode(key.principal)) \(key.url)")
    }

    init(bytes: Data) { self.bytes = bytes }

    private init(text: String) { bytes = Data(SHA256.hash(data: Data(text.utf8))) }
}

/// What a record is found by: a key, and one of several under it.
struct RecordName: Sendable, Hashable {
    var key: KeyDigest
    /// Empty where a key has one record only.
    var item: Data

    init(_ key: KeyDigest, item: Data = Data()) {
        self.key = key
        self.item = item
    }

    /// The sum stands for all of it.
    func hash(into hasher: inout Hasher) { hasher.combine(seed) }

    /// Ties the checksums to the name, so that no record is taken for another.
    var seed: UInt64 { Checksum.of(item, seed: Checksum.of(key.bytes)) }
}

/// One entry of a cache file: a small head, and a body that is read with it or later.
struct DiskRecord: Sendable, Hashable {
    var item = Data()
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

    /// Tags and head as one, so that a record that is found without its index still knows its tags.
    var packed: Data {
        var writer = ByteWriter()
        writer.write(tags.count)
        for tag in tags.sorted() { writer.write(tag) }
        return writer.bytes + head
    }
}

extension DiskRecord {
    init?(item: Data, packed: Data, body: Data, keptUntil: Date) {
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
