import Crypto
import FoundationEssentials
import StrataDomain

/// The source of a part, in a file beside it.
struct PartRecord: Codable, Sendable, Equatable {
    /// Raised when the meaning of a member changes. A record of another version is ignored.
    static let version = 1

    var version = PartRecord.version
    /// SHA-256 of the URL: it may hold secrets.
    var source: String
    /// A strong entity tag, with its quotes.
    var entityTag: String?
    /// Only where it is a strong validator.
    var lastModified: String?
    /// Bytes of the content, if the server sent its length.
    var total: Int64?
    /// Digests of the content that the server sent, as in `Repr-Digest`.
    var digests: [String] = []

    /// The value of `If-Range`; `nil` without a strong validator.
    var validator: String? { entityTag ?? lastModified }

    /// Whether the validator can be sent as a field value.
    var isUsable: Bool {
        guard let entityTag else { return lastModified?.utf8.allSatisfy { (0x20...0x7E).contains($0) } ?? true }
        return EntityTag(parsing: entityTag).map { !$0.isWeak } ?? false
    }

    static func source(of url: String) -> String {
        SHA256.hash(data: Data(url.utf8)).hex
    }
}

extension PartRecord {
    /// The record of a response with the whole content.
    ///
    /// - Parameter now: Decides the century of two-digit years.
    init(source: String, _ headers: HeaderFields, now: Date) {
        self.source = source
        if let tag = headers["ETag"].flatMap({ EntityTag(parsing: $0) }), !tag.isWeak { entityTag = tag.text }
        lastModified = Self.strongDate(headers, now: now)
        total = headers[FieldName.contentLength].flatMap { Int64($0.trimmed) }.flatMap { $0 >= 0 ? $0 : nil }
        // Without a coding, the content of a whole response is the representation.
        digests = (headers.values("Repr-Digest") + headers.values("Content-Digest")).flatMap(ContentDigest.list)
            .map(\.field)
    }

    /// `Last-Modified`, if the response is at least a second younger, so that no second change can have the same date
    /// (RFC 9110, section 8.8.2.2).
    private static func strongDate(_ headers: HeaderFields, now: Date) -> String? {
        guard let field = headers["Last-Modified"], let changed = HTTPDate.date(from: field.trimmed, now: now),
            let sent = headers[FieldName.date].flatMap({ HTTPDate.date(from: $0.trimmed, now: now) })
        else { return nil }
        return sent.timeIntervalSince(changed) >= 1 ? field.trimmed : nil
    }
}
