import Crypto
import FoundationEssentials
import StrataDomain
import StrataSystem

/// What the bytes of a part belong to; kept beside it.
struct PartRecord: Codable, Sendable, Equatable {
    /// Raised when the meaning of a member changes; a record of another version is as good as none.
    static let version = 1

    var version = PartRecord.version
    /// SHA-256 of the URL: it may hold secrets.
    var source: String
    /// A strong one, with its quotes.
    var entityTag: String?
    /// Only where it is a strong validator.
    var lastModified: String?
    /// Bytes of the whole, where the server said so.
    var total: Int64?
    /// What the server says the whole hashes to, as in `Repr-Digest`.
    var digests: [String] = []

    /// What `If-Range` needs to go on; `nil` when the content cannot be told from a later one.
    var validator: String? { entityTag ?? lastModified }

    /// Whether its validator can be sent. A damaged one would make every run fail before it asks for anything.
    var isUsable: Bool {
        guard let entityTag else { return lastModified?.utf8.allSatisfy { (0x20...0x7E).contains($0) } ?? true }
        return EntityTag(parsing: entityTag).map { !$0.isWeak } ?? false
    }

    static func source(of url: String) -> String {
        SHA256.hash(data: Data(url.utf8)).hex
    }
}

extension PartRecord {
    /// The record of an answer that carries the whole.
    ///
    /// - Parameter now: Decides the century of two-digit years.
    init(source: String, _ headers: HeaderFields, now: Date) {
        self.source = source
        if let tag = headers["ETag"].flatMap({ EntityTag(parsing: $0) }), !tag.isWeak { entityTag = tag.text }
        lastModified = Self.strongDate(headers, now: now)
        total = headers[FieldName.contentLength].flatMap { Int64($0.trimmed) }.flatMap { $0 >= 0 ? $0 : nil }
        // The content of a whole answer without coding is the representation.
        digests = (headers.values("Repr-Digest") + headers.values("Content-Digest")).flatMap(ContentDigest.list)
            .map(\.field)
    }

    /// `Last-Modified` where the answer was made at least a second later, so that no second change can have the same date
    /// (RFC 9110, section 8.8.2.2).
    private static func strongDate(_ headers: HeaderFields, now: Date) -> String? {
        guard let field = headers["Last-Modified"], let changed = HTTPDate.date(from: field.trimmed, now: now),
            let sent = headers[FieldName.date].flatMap({ HTTPDate.date(from: $0.trimmed, now: now) })
        else { return nil }
        return sent.timeIntervalSince(changed) >= 1 ? field.trimmed : nil
    }
}
