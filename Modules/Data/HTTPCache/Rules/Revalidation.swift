import FoundationEssentials
import StrataDomain

/// The effect of a revalidation on the stored response (RFC 9111, sections 3.2, 4.3.4 and 4.3.5).
enum Revalidation {
    /// Fields that describe the stored body: a response without a body must not change them.
    private static let ofTheBody: Set<String> = ["content-length", "content-encoding", "content-range"]

    /// `fields`, with the fields of `update` in place of those of the same names.
    static func merged(_ fields: HeaderFields, with update: HeaderFields) -> HeaderFields {
        let dropped = Storability.connectionFields.union(ofTheBody)
            .union(update.elements("Connection").map { $0.lowercased() }).union(["cache-status"])
        let new = update.filter { !dropped.contains($0.name.lowercased()) || $0.name.lowercased() == "cache-control" }
        let names = Set(new.map { $0.name.lowercased() })
        return HeaderFields(fields.filter { !names.contains($0.name.lowercased()) }.fields + new.fields)
    }

    /// Whether a 304 confirms `stored`: its tag matches, or is missing.
    static func confirms(_ stored: StoredResponse, _ notModified: HeaderFields) -> Bool {
        guard let new = EntityTag(notModified) else { return true }
        guard let old = EntityTag(stored.fields) else { return new.isWeak }
        return new.isWeak || old.isWeak ? new.weaklyMatches(old) : new.stronglyMatches(old)
    }

    /// Whether a 304 to a request with several tags chooses `stored`: only by its tag.
    static func chooses(_ stored: StoredResponse, _ notModified: HeaderFields) -> Bool {
        guard let new = EntityTag(notModified), let old = EntityTag(stored.fields) else { return false }
        return new.stronglyMatches(old)
    }

    /// `stored` after a 304: with the same body and the age of the 304.
    static func refreshed(
        _ stored: StoredResponse, by notModified: HeaderFields, requestTime: Date, responseTime: Date, rules: CacheRules
    ) -> StoredResponse {
        var response = stored
        var update = notModified
        if update["Date"] == nil { update["Date"] = HTTPDate.string(from: responseTime) }
        response.fields = merged(stored.fields, with: update)
        if update["Age"] == nil { response.fields["Age"] = nil }
        response.fields = Storability.stored(response.fields, at: responseTime, rules: rules)
        response.requestTime = requestTime
        response.responseTime = responseTime
        response.isInvalidated = false
        return response
    }

    enum HeadEffect: Sendable, Hashable {
        case updated(StoredResponse)
        /// The stored response differs from the current response to GET.
        case outdated
    }

    /// The effect of a 200 to HEAD on a stored response to GET.
    static func effect(
        ofHead head: HeaderFields, on stored: StoredResponse, requestTime: Date, responseTime: Date, rules: CacheRules
    ) -> HeadEffect {
        if let length = head["Content-Length"]?.trimmed.decimal(upTo: .max >> 4), length != stored.length,
            stored.range == nil, head["Content-Encoding"] == nil
        {
            return .outdated
        }
        if let new = EntityTag(head), EntityTag(stored.fields) != new { return .outdated }
        if let new = head["Last-Modified"], stored.fields["Last-Modified"] != new { return .outdated }
        return .updated(
            refreshed(stored, by: head, requestTime: requestTime, responseTime: responseTime, rules: rules))
    }
}
