import FoundationEssentials
import StrataDomain

/// Conditional requests: the conditions that a cache evaluates, and those that it sends (RFC 9111, section 4.3).
enum Conditions {
    /// The fields that make a request conditional.
    static let names = ["If-None-Match", "If-Modified-Since", "If-Range", "If-Match", "If-Unmodified-Since"]

    /// Whether the client has the stored response already, so that a 304 answers it.
    static func isNotModified(_ request: HeaderFields, _ response: StoredResponse) -> Bool {
        guard response.status == 200 || response.status == 206 else { return false }
        let asked = request.values("If-None-Match")
        if !asked.isEmpty { return IfNoneMatch.names(EntityTag(response.fields), asked) }
        guard let since = request["If-Modified-Since"], let since = date(since, response),
            let modified = response.fields["Last-Modified"] ?? response.fields["Date"],
            let modified = date(modified, response)
        else { return false }
        return modified <= since
    }

    /// Whether `If-Range` allows a part of the stored response; always without `If-Range` (RFC 9110, section 13.1.5).
    static func allowsRange(_ request: HeaderFields, _ response: StoredResponse) -> Bool {
        guard let condition = request["If-Range"]?.trimmed else { return true }
        if condition.hasPrefix("\"") || condition.hasPrefix("W/") {
            guard let asked = EntityTag(lenient: condition), let tag = EntityTag(response.fields) else { return false }
            return asked.stronglyMatches(tag)
        }
        guard let asked = date(condition, response), let text = response.fields["Last-Modified"],
            let modified = date(text, response), let made = response.fields["Date"],
            let made = date(made, response)
        else { return false }
        // A date is a strong validator after one second (RFC 9110, section 8.8.2.2).
        return asked == modified && made.timeIntervalSince(modified) >= 1
    }

    /// The conditions that revalidate `response`; empty without a validator.
    static func validating(_ response: StoredResponse) -> HeaderFields {
        var fields: HeaderFields = [:]
        if let tag = response.fields["ETag"]?.trimmed, !tag.isEmpty {
            fields.add("If-None-Match", quoted(tag))
        }
        if let modified = response.fields["Last-Modified"]?.trimmed, date(modified, response) != nil {
            fields.add("If-Modified-Since", modified)
        }
        return fields
    }

    /// The limit for the tags of one request in bytes.
    private static let mostTagBytes = 2048

    /// The condition by which the origin chooses one of several variants, and the variants with a tag in it.
    ///
    /// Only strong tags, and no tag of two different responses: a weak tag may stand for several encodings.
    static func selecting(among stored: [StoredResponse]) -> (variants: [StoredResponse], condition: HeaderFields) {
        let candidates = stored.filter { $0.range == nil && $0.status == 200 && Vary.names($0.fields) != nil }
        var (variants, tags, bytes): ([StoredResponse], [String], Int) = ([], [], 0)
        for variant in candidates {
            guard let tag = EntityTag(variant.fields), !tag.isWeak, !tag.opaque.contains("\"") else { continue }
            let text = "\"\(tag.opaque)\""
            let namesakes = candidates.filter { EntityTag($0.fields)?.opaque == tag.opaque }
            guard !tags.contains(text), namesakes.allSatisfy({ look(of: $0) == look(of: variant) }),
                bytes + text.utf8.count <= mostTagBytes
            else { continue }
            bytes += text.utf8.count
            variants.append(variant)
            tags.append(text)
        }
        guard !tags.isEmpty else { return ([], [:]) }
        return (variants, ["If-None-Match": tags.joined(separator: ", ")])
    }

    /// Two responses with one tag are equal if these values are.
    private static func look(of response: StoredResponse) -> [String] {
        ["Content-Type", "Content-Language", "Content-Encoding"].map { response.fields[$0] ?? "" }
            + [String(response.length)]
    }

    private static func quoted(_ tag: String) -> String { tag.contains("\"") ? tag : "\"\(tag)\"" }

    private static func date(_ text: String, _ response: StoredResponse) -> Date? {
        HTTPDate.date(from: text.trimmed, now: response.responseTime, ignoringCase: true)
    }
}

extension EntityTag {
    /// The tag in `ETag`, as leniently as a cache reads it; `nil` without one.
    init?(_ fields: HeaderFields) {
        guard let text = fields["ETag"] else { return nil }
        self.init(lenient: text)
    }
}
