import CZlib
import Crypto
import FoundationEssentials
import StrataDomain
import StrataSystem

/// SHA-256 of the text of a key. It names the key on disk, so that the file shows neither URL nor principal.
struct KeyDigest: Sendable, Hashable {
    private let digest: SHA256.Digest

    init(_ key: CacheKey) { self.init(key.text) }

    init(principal: String, url: String) { self.init(PercentEncoding.encode(principal) + " " + url) }

    private init(_ text: String) { digest = SHA256.hash(data: Data(text.utf8)) }

    /// Names the lease for a fetch of this key.
    func lease(in generation: CacheGeneration) -> KeyDigest {
        KeyDigest("\(text) \(generation.shared.map(String.init) ?? "")")
    }

    var bytes: Data { Data(digest) }
    /// In hexadecimal.
    var text: String { bytes.hex }
}

/// One entry of a cache file: a small head, and a body that is read with it or later.
struct DiskRecord: Sendable, Hashable {
    /// Tells several records of one key apart; `nil` where a key has one record.
    var item: UUID?
    var head: Data
    var body: Data
    /// The record must not be used after this time.
    var keptUntil: Date
    /// Names under which it is removed together with others.
    var tags: Set<String> = []
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
