public import StrataDomain

/// How one API wants its callers to identify themselves.
public enum AuthStyle: Sendable {
    case none
    /// `Authorization: Bearer …` (RFC 6750), renewed once when the server answers 401.
    case bearer(any TokenProvider)
    case apiKey(Secret, in: Place)

    public enum Place: Sendable, Hashable {
        /// A header field of this name, such as `X-API-Key`.
        case header(String)
        /// A query item of this name.
        case query(String)
    }
}
