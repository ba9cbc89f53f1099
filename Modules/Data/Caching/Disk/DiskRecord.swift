import CZlib
import Crypto
package import FoundationEssentials
package import StrataDomain
import StrataSystem

/// SHA-256 of the text of a key. It names the key on disk, so that the file shows neither URL nor principal.
package struct KeyDigest: Sendable, Hashable {
    private let digest: SHA256.Digest

    package init(_ key: CacheKey) { self.init(key.text) }

    package init(principal: String, url: String) { self.init(PercentEncoding.encode(principal) + " " + url) }

    private init(_ text: String) { digest = SHA256.hash(data: Data(text.utf8)) }

    /// Names the lease for a fetch of this key.
    func lease(in generation: CacheGeneration) -> KeyDigest {
        KeyDigest("\(text) \(generation.shared.map(String.init) ?? "")")
    }

    var bytes: Data { Data(digest) }
    /// In hexadecimal.
    package var text: String { bytes.hex }
}

/// One entry of a cache file: a small head, and a body that is read with it or later.
package struct DiskRecord: Sendable, Hashable {
    /// Tells several records of one key apart; `nil` where a key has one record.
    package var item: UUID?
    package var head: Data
    package var body: Data
    /// The record must not be used after this time.
    package var keptUntil: Date
    /// Names under which it is removed together with others.
    package var tags: Set<String>

    package init(item: UUID? = nil, head: Data, body: Data, keptUntil: Date, tags: Set<String> = []) {
        (self.item, self.head, self.body, self.keptUntil, self.tags) = (item, head, body, keptUntil, tags)
    }
}

/// CRC-32 of a record. It covers the key too, so that no record is taken for another.
struct Checksum {
    private(set) var value: Int64 = 0

    init(_ parts: Data...) {
        for part in parts { add(part) }
    }

    private mutating func add(_ bytes: Data) {
        value = bytes.withUnsafeBytes { buffer in
            Int64(crc32_z(uLong(value), buffer.bindMemory(to: UInt8.self).baseAddress, buffer.count))
        }
    }
}
