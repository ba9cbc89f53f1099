import FoundationEssentials

/// Conditions in a request that a cache may judge by what it keeps (RFC 9111, section 4.3.2).
enum Conditions {
    /// Names of the fields that make a request conditional.
    static let names = ["If-None-Match", "If-Modified-Since", "If-Range", "If-Match", "If-Unmodified-Since"]

    /// Whether the client has what is stored already, so that 304 says all.
    static func isNotModified(_ request: FieldList, _ response: StoredResponse) -> Bool {
        guard response.status == 200 || response.status == 206 else { return false }
        let asked = request.values("If-None-Match")
        if !asked.isEmpty {
            if asked.contains(where: { $0.trimmedOWS == "*" }) { return true }
            guard let tag = EntityTag(response.fields) else { return false }
            return EntityTag.list(asked).contains { $0.matchesWeakly(tag) }
        }
        guard let since = request.value("If-Modified-Since"), let since = date(since, response),
            let modified = response.fields.value("Last-Modified") ?? response.fields.value("Date"),
            let modified = date(modified, response)
        else { return false }
        return modified <= since
    }

    /// Whether a `Range` still means what is stored; without `If-Range` it does (RFC 9110, section 13.1.5).
    static func allowsRange(_ request: FieldList, _ response: StoredResponse) -> Bool {
        guard let condition = request.value("If-Range")?.trimmedOWS else { return true }
        if condition.hasPrefix("\"") || condition.hasPrefix("W/") {
            guard let asked = EntityTag(condition), let tag = EntityTag(response.fields) else { return false }
            return asked.matchesStrongly(tag)
        }
        guard let asked = date(condition, response), let text = response.fields.value("Last-Modified"),
            let modified = date(text, response), let made = response.fields.value("Date"),
            let made = date(made, response)
        else { return false }
        // A second is the least after which a date is strong (RFC 9110, section 8.8.2.2).
        return asked == modified && made.timeIntervalSince(modified) >= 1
    }

    /// The fields by which the origin tells whether `response` still holds; empty when it has no validator.
    static func validating(_ response: StoredResponse) -> FieldList {
        var fields: FieldList = []
        if let tag = response.fields.value("ETag")?.trimmedOWS, !tag.isEmpty {
            fields.append(StoredResponse.Field("If-None-Match", quoted(tag)))
        }
        if let modified = response.fields.value("Last-Modified")?.trimmedOWS, date(modified, response) != nil {
            fields.append(StoredResponse.Field("If-Modified-Since", modified))
        }
        return fields
    }

    /// Bytes of tags that one request names.
    private static let mostTagBytes = 2048

    /// The field by which the origin tells which of several variants it would send, and those that it names.
    ///
    /// Strong tags only, and none that two different answers bear: a weak one may stand for several encodings.
    static func selecting(among stored: [StoredResponse]) -> (variants: [StoredResponse], condition: FieldList) {
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
        guard !tags.isEmpty else { return ([], []) }
        return (variants, [StoredResponse.Field("If-None-Match", tags.joined(separator: ", "))])
    }

    /// What two answers with one tag must agree in to be the same.
    private static func look(of response: StoredResponse) -> [String] {
        ["Content-Type", "Content-Language", "Content-Encoding"].map { response.fields.value($0) ?? "" }
            + [String(response.length)]
    }

    private static func quoted(_ tag: String) -> String { tag.contains("\"") ? tag : "\"\(tag)\"" }

    private static func date(_ text: String, _ response: StoredResponse) -> Date? {
        CacheDate.date(text.trimmedOWS, now: response.responseTime)
    }
}
