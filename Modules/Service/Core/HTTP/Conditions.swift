import HTTPTypes
import StrataDomain

/// What a request demands of the state of what it reads (RFC 9110, section 13).
enum Conditions {
    /// Whether a range may be sent: `If-Range` is absent, or is this very state (section 13.1.5). A date never is, for we
    /// send none.
    static func allowsRange(_ tag: EntityTag, _ fields: [String]) -> Bool {
        fields.isEmpty || fields.count == 1 && EntityTag(parsing: fields[0]).map(tag.stronglyMatches) ?? false
    }
}
