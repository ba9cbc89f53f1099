import FoundationEssentials

/// What an answer to a validation changes in what is stored (RFC 9111, sections 3.2, 4.3.4 and 4.3.5).
enum Revalidation {
    /// Fields that describe the stored bytes: an answer without the bytes must not change them.
    private static let ofTheBody: Set<String> = ["content-length", "content-encoding", "content-range"]

    /// `fields` with those of `update` in place of values of the same name.
    static func merged(_ fields: FieldList, with update: FieldList) -> FieldList {
        let dropped = Storability.connectionFields.union(ofTheBody)
            .union(update.elements("Connection").map { $0.lowercased() }).union(["cache-status"])
        let new = update.filter { !dropped.contains($0.name.lowercased()) || $0.name.lowercased() == "cache-control" }
        let names = Set(new.map { $0.name.lowercased() })
        return fields.filter { !names.contains($0.name.lowercased()) } + new
    }

    /// Whether a 304 speaks of `stored`: its validators are those that were asked about.
    static func confirms(_ stored: StoredResponse, _ notModified: FieldList) -> Bool {
        guard let new = EntityTag(notModified) else { return true }
        guard let old = EntityTag(stored.fields) else { return new.isWeak }
        return new.isWeak || old.isWeak ? new.matchesWeakly(old) : new.matchesStrongly(old)
    }

    /// Whether a 304 that was asked about several picks `stored`: only by its tag.
    static func chooses(_ stored: StoredResponse, _ notModified: FieldList) -> Bool {
        guard let new = EntityTag(notModified), let old = EntityTag(stored.fields) else { return false }
        return new.matchesStrongly(old)
    }

    /// `stored` after a 304: its bytes still hold, and it is as old as the 304.
    static func refreshed(
        _ stored: StoredResponse, by notModified: FieldList, requestTime: Date, responseTime: Date, rules: CacheRules
    ) -> StoredResponse {
        var response = stored
        var update = notModified
        if update.value("Date") == nil { update.set("Date", CacheDate.text(responseTime)) }
        response.fields = merged(stored.fields, with: update)
        if update.value("Age") == nil { response.fields.remove("Age") }
        response.fields = Storability.stored(response.fields, at: responseTime, rules: rules)
        response.requestTime = requestTime
        response.responseTime = responseTime
        response.isInvalidated = false
        return response
    }

    enum HeadEffect: Sendable, Hashable {
        case updated(StoredResponse)
        /// What is stored is not what GET would answer now.
        case outdated
    }

    /// What a 200 to HEAD says about a stored answer to GET.
    static func effect(
        ofHead head: FieldList, on stored: StoredResponse, requestTime: Date, responseTime: Date, rules: CacheRules
    ) -> HeadEffect {
        if let length = head.value("Content-Length")?.trimmedOWS.decimal(upTo: .max >> 4), length != stored.length,
            stored.range == nil, head.value("Content-Encoding") == nil
        {
            return .outdated
        }
        if let new = EntityTag(head), EntityTag(stored.fields) != new { return .outdated }
        if let new = head.value("Last-Modified"), stored.fields.value("Last-Modified") != new { return .outdated }
        return .updated(
            refreshed(stored, by: head, requestTime: requestTime, responseTime: responseTime, rules: rules))
    }
}
