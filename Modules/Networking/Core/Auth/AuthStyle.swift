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

    /// The credential that the next call will carry; tells identities apart.
    var identity: CoalescingInterceptor.Identify {
        switch self {
        case .none: { nil }
        case .bearer(let tokens):
            {
                guard let token = try await tokens.currentToken() else { return nil }
                return CallIdentity.Credential(secret: token, account: tokens.account(of: token))
            }
        case .apiKey(let key, _): { CallIdentity.Credential(secret: key, account: nil) }
        }
    }

    /// The same, where it is known without waiting; `nil` where it has to be waited for.
    var identityAtHand: CoalescingInterceptor.IdentityAtHand {
        switch self {
        case .none: { .nobody }
        case .bearer(let tokens):
            { tokens.tokenAtHand.map { .credential(.init(secret: $0, account: tokens.account(of: $0))) } }
        case .apiKey(let key, _): { .credential(.init(secret: key, account: nil)) }
        }
    }

    /// Whether a call without a session is one of nobody, and with one of somebody.
    var isNone: Bool { if case .none = self { true } else { false } }
}
