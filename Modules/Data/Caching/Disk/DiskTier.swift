import Crypto
import FoundationEssentials
import StrataDomain

/// Where entries outlive the process.
///
/// Every call blocks; the cache makes them one at a time on a queue of its own. Nothing throws but `clear`: what
/// cannot be read is a miss, and what cannot be written is lost, as a cache may.
protocol DiskTier: Sendable {
    func entry(for key: KeyDigest) -> StoredEntry?
    func store(_ entry: StoredEntry, for key: KeyDigest, now: Date)
    func remove(_ key: KeyDigest)
    func removeAll(tagged tag: String)
    func removeExpired(at now: Date)
    /// Removes everything, so that its bytes are gone from the disk as well.
    func clear() throws(DomainError)
    func usage() -> (entries: Int, bytes: Int, path: String)
}

/// What stands for a key on disk: SHA-256 of its text. Nobody reads from a cache file what was asked for.
struct KeyDigest: Sendable, Hashable {
    let bytes: Data

    init(_ key: CacheKey) { bytes = Data(SHA256.hash(data: Data(key.text.utf8))) }
}

/// An encoded value with what is needed to trust it.
struct StoredEntry: Sendable, Hashable {
    /// Name of the type that was stored; another type is a miss.
    var type: String
    var span: EntrySpan
    /// Sorted.
    var tags: [String]
    var payload: Data

    /// SHA-256 over everything above and the key, so that no flipped byte and no swapped row is ever believed.
    func checksum(for key: KeyDigest) -> Data {
        var hash = SHA256()
        hash.update(data: key.bytes)
        for text in [type] + tags {
            hash.update(data: Data(text.utf8))
            hash.update(data: [0])
        }
        for date in [span.storedAt, span.freshUntil, span.keptUntil] {
            withUnsafeBytes(of: date.timeIntervalSince1970.bitPattern.littleEndian) { hash.update(bufferPointer: $0) }
        }
        hash.update(data: payload)
        return Data(hash.finalize())
    }
}
