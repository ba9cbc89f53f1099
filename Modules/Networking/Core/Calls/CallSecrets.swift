import StrataConcurrency
package import StrataDomain

/// The secrets of one call: the credential it is sent with, and texts that must not be shown or carried elsewhere.
public final class CallSecrets: Sendable {
    private struct State {
        var identity = CallIdentity.open
        var isRenewed = false
        var isIdentityKnown = true
        /// What must stay at its own origin.
        var credentials: [Secret] = []
        /// Further texts that must not be shown.
        var others: [Secret] = []
        var hasSearchedQuery = false
        var hasSearchedBody = false
    }

    private let search: SecretSearch?
    private let state = Mutex(State())

    /// No secrets yet.
    public convenience init() { self.init(search: nil) }

    /// - Parameter search: Finds further secrets in the request.
    init(search: SecretSearch?) { self.search = search }

    /// The redaction of the client that made the call; the standard one where it is not known.
    var redaction: Redaction { search?.redaction ?? .standard }

    /// A copy of the secrets and the identity, for another call.
    package func copy() -> CallSecrets {
        let copy = CallSecrets(search: search)
        let state = state.withLock { $0 }
        copy.state.withLock { $0 = state }
        copy.state.withLock { $0.isRenewed = false }
        return copy
    }

    // MARK: - The credential

    /// Whose credential the call is sent with, even if the session changes hands meanwhile.
    var identity: CallIdentity {
        get { state.withLock(\.identity) }
        set { state.withLock { $0.identity = newValue } }
    }

    /// Whether the identity that the call is sent with is known outside of the attempt.
    var isIdentityKnown: Bool {
        get { state.withLock(\.isIdentityKnown) }
        set { state.withLock { $0.isIdentityKnown = newValue } }
    }

    /// Whether the call went on with another credential than the one it began with.
    var isRenewed: Bool { state.withLock(\.isRenewed) }

    /// Goes on with the credential that came in place of a refused one.
    func renew(_ credential: CallIdentity.Credential) {
        state.withLock { state in
            state.identity = .credential(credential)
            state.isRenewed = true
        }
    }

    // MARK: - What is not shown

    /// Adds a secret that this call sends, so that `scrub` finds it wherever it is echoed.
    package func remember(_ secret: Secret) { state.withLock { $0.credentials.append(secret) } }

    /// Adds a text that is not shown, though it may be carried to another origin.
    func hide(_ text: Secret) { state.withLock { $0.others.append(text) } }

    /// Adds the secrets of another call, which a response that both share may echo.
    func adopt(_ other: CallSecrets) {
        let secrets = other.shownNowhere
        state.withLock { $0.others += secrets }
    }

    /// `text` without the secrets of this call, as they are or percent-encoded.
    package func scrub(_ text: String) -> String { Self.mask(shownNowhere, in: text) }

    /// `text` without those secrets of this call that have so many bytes, or more.
    func scrub(_ text: String, from length: Int) -> String {
        Self.mask(shownNowhere.filter { $0.reveal().utf8.count >= length }, in: text)
    }

    /// Whether a credential of this call stands in `text`, in any case or percent-encoding.
    func occur(in text: String) -> Bool {
        let forms = [
            text, PercentEncoding.decode(text) ?? text, PercentEncoding.decode(text, plusIsSpace: true) ?? text,
        ]
        .map { $0.lowercased() }
        let secrets = carriedNowhere
        return Self.mask(secrets, in: text) != text
            || secrets.map { $0.reveal().lowercased() }.contains { secret in
                !secret.isEmpty && forms.contains { $0.contains(secret) }
            }
    }

    /// What must stay at its own origin.
    private var carriedNowhere: [Secret] {
        let found = state.withLock(\.hasSearchedQuery) ? [] : search?.credentials ?? []
        return state.withLock { state in
            if !state.hasSearchedQuery { state.credentials += found }
            state.hasSearchedQuery = true
            return state.credentials
        }
    }

    /// The secrets that logs and errors mask: the credentials, and those found in the query and the body.
    private var shownNowhere: [Secret] {
        let (credentials, found) = (carriedNowhere, state.withLock(\.hasSearchedBody) ? [] : search?.contents ?? [])
        return state.withLock { state in
            if !state.hasSearchedBody { state.others += found }
            state.hasSearchedBody = true
            return credentials + state.others
        }
    }

    private static func mask(_ secrets: [Secret], in text: String) -> String {
        secrets.reduce(text) { text, secret in
            let plain = secret.reveal()
            guard !plain.isEmpty else { return text }
            return text.replacing(plain, with: Redaction.mask).replacing(
                PercentEncoding.encode(plain), with: Redaction.mask)
        }
    }
}
