import HTTPTypes
import StrataDomain

/// What a request demands of the state of what it reads (RFC 9110, section 13).
enum Conditions {
    /// Whether one of the tags of `If-None-Match` names this state.
    static func holds(_ tag: EntityTag, _ fields: [String]) -> Bool {
        fields.flatMap { $0.split(separator: ",") }.contains { part in
            let text = part.filter { $0 != " " && $0 != "\t" }
            return text == "*" || EntityTag(parameter: text).map(tag.weaklyMatches) ?? false
        }
    }

    /// Whether `If-Match` names this very state.
    static func holdsStrongly(_ tag: EntityTag, _ fields: [String]) -> Bool {
        IfMatch(parameter: fields.joined(separator: ", "))?.allows(tag) ?? false
    }

    /// Whether a range may be sent: `If-Range` is absent, or is this very state (section 13.1.5). A date never is, for we
    /// send none.
    static func allowsRange(_ tag: EntityTag, _ fields: [String]) -> Bool {
        fields.isEmpty || fields.count == 1 && EntityTag(parameter: fields[0]).map(tag.stronglyMatches) ?? false
    }
}
