import HTTPTypes
import StrataDomain

/// The preconditions of a request (RFC 9110, section 13).
enum Conditions {
    /// Whether a range may be sent: `If-Range` is absent or matches strongly (section 13.1.5). A date never matches, because
    /// responses have no `Last-Modified`.
    static func allowsRange(_ tag: EntityTag, _ fields: [String]) -> Bool {
        fields.isEmpty || fields.count == 1 && EntityTag(parsing: fields[0]).map(tag.stronglyMatches) ?? false
    }
}
