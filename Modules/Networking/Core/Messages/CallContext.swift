import StrataConcurrency
public import StrataDomain

/// What belongs to one logical call over all its attempts: its name, its deadline, and what happened so far.
public final class CallContext: Sendable {
    /// Sent as `X-Request-Id` with every attempt.
    public let requestId: String
    /// Method and path, without query: `GET /v1/runbooks`.
    public let summary: String
    public let idempotencyKey: String?
    /// The one origin that is known to honour the key; `nil` where the caller answers for it.
    let keyOrigin: Origin?
    public let deadline: Deadline
    /// Time for one attempt; `nil` for the client's.
    public let attemptTimeout: Duration?
    /// Whether the response goes to code that cannot begin again, so that it must not be delivered twice.
    public let receivesOnce: Bool
    /// Whether an equal read that is under way may answer this call too.
    public let mayJoin: Bool
    /// What the server is told about the trace this call belongs to.
    public let trace: TraceContext
    /// Hears the interim responses (1xx) of each attempt, before its response; not every transport sees them.
    public let interim: @Sendable (ResponseHead) -> Void
    private let search: SecretSearch?
    private let events: EventSink
    private let state = Mutex(State())

    private struct State {
        var attempts: [NetworkError.Attempt] = []
        var started = 0
        var known = KnownSecrets()
        var identity = CallIdentity.open
        var isRenewed = false
        var isShortOfTime = false
    }

    private struct KnownSecrets {
        /// What must stay at its own origin.
        var credentials: [Secret] = []
        /// What else must not be shown.
        var others: [Secret] = []
        var hasSearchedQuery = false
        var hasSearchedBody = false
    }

    public convenience init(
        requestId: String, summary: String, idempotencyKey: String? = nil, deadline: Deadline,
        attemptTimeout: Duration? = nil, receivesOnce: Bool = false, mayJoin: Bool = false,
        trace: TraceContext = TraceContext.current ?? TraceContext(),
        interim: @escaping @Sendable (ResponseHead) -> Void = { _ in }, events: @escaping EventSink = { _ in }
    ) {
        self.init(
            requestId: requestId, summary: summary, idempotencyKey: idempotencyKey, keyOrigin: nil,
            deadline: deadline, attemptTimeout: attemptTimeout, receivesOnce: receivesOnce, mayJoin: mayJoin,
            trace: trace, interim: interim, search: nil, events: events)
    }

    /// - Parameter search: For secrets in the request, that `scrub` is to find too.
    init(
        requestId: String, summary: String, idempotencyKey: String?, keyOrigin: Origin?,
        deadline: Deadline, attemptTimeout: Duration?, receivesOnce: Bool, mayJoin: Bool,
        trace: TraceContext = TraceContext.current ?? TraceContext(),
        interim: @escaping @Sendable (ResponseHead) -> Void = { _ in }, search: SecretSearch?,
        events: @escaping EventSink
    ) {
        self.requestId = requestId
        self.summary = summary
        self.idempotencyKey = idempotencyKey
        self.keyOrigin = keyOrigin
        self.deadline = deadline
        self.attemptTimeout = attemptTimeout
        self.receivesOnce = receivesOnce
        self.mayJoin = mayJoin
        self.trace = trace
        self.interim = interim
        self.search = search
        self.events = events
    }

    /// The context of work that goes on behind an answer of this call: in the same name and with the same credential, also
    /// when the session changes hands meanwhile, but with a deadline of its own and without anybody who listens.
    public func behind(deadline: Deadline) -> CallContext {
        let context = CallContext(
            requestId: requestId, summary: summary, idempotencyKey: nil, keyOrigin: nil, deadline: deadline,
            attemptTimeout: attemptTimeout, receivesOnce: false, mayJoin: false, trace: trace, search: search,
            events: { _ in })
        let (identity, known) = state.withLock { ($0.identity, $0.known) }
        context.state.withLock { ($0.identity, $0.known) = (identity, known) }
        return context
    }

    /// Finished attempts, earliest first.
    public var attempts: [NetworkError.Attempt] { state.withLock(\.attempts) }

    /// Number of the attempt under way, from 1; 0 before the first.
    public var attemptNumber: Int { state.withLock(\.started) }

    public func emit(_ kind: NetworkEvent.Kind) {
        events(NetworkEvent(requestId: requestId, request: summary, kind: kind))
    }

    /// A few words for `error`; a call that was cancelled by its own deadline has timed out.
    func outcome(of error: any Error) -> String {
        let outcome = NetworkError.outcome(of: error)
        return outcome == "cancelled" && deadline.hasPassed ? "timeout" : outcome
    }

    /// Counts an attempt and returns its number, from 1.
    func startAttempt() -> Int {
        state.withLock { state in
            state.started += 1
            return state.started
        }
    }

    func finish(_ attempt: NetworkError.Attempt) { state.withLock { $0.attempts.append(attempt) } }

    /// In whose name the call is sent, even if the session changes hands meanwhile.
    var identity: CallIdentity {
        get { state.withLock(\.identity) }
        set { state.withLock { $0.identity = newValue } }
    }

    /// Whether a cache may keep what this call is answered: not after the server refused its credential, when it went on
    /// with another.
    public var mayKeepAnswer: Bool { state.withLock { !$0.isRenewed } }

    /// Goes on with the credential that came in place of a refused one.
    func renew(_ credential: CallIdentity.Credential) {
        state.withLock { state in
            state.identity = .credential(credential)
            state.isRenewed = true
        }
    }

    /// Whether this call gave up where one with a later deadline would have tried again.
    var isShortOfTime: Bool {
        get { state.withLock(\.isShortOfTime) }
        set { state.withLock { $0.isShortOfTime = newValue } }
    }

    /// Takes over what the call met that this one shared its answer with.
    func adopt(_ attempts: [NetworkError.Attempt]) { state.withLock { $0.attempts += attempts } }

    /// Remembers the secrets of `other`, which may be echoed in an answer that both share.
    func adoptSecrets(of other: CallContext) {
        let secrets = other.shownNowhere
        state.withLock { $0.known.others += secrets }
    }

    /// Whether a secret of this call stands in `text`, in whatever case or percent-encoding.
    func holdsSecret(_ text: String) -> Bool {
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

    /// Remembers a secret that this call sends, so that `scrub` finds it wherever it is echoed.
    func remember(_ secret: Secret) { state.withLock { $0.known.credentials.append(secret) } }

    /// What must stay at its own origin.
    private var carriedNowhere: [Secret] {
        let isSearched = state.withLock(\.known.hasSearchedQuery)
        let found = isSearched ? [] : search?.credentials ?? []
        return state.withLock { state in
            if !state.known.hasSearchedQuery { state.known.credentials += found }
            state.known.hasSearchedQuery = true
            return state.known.credentials
        }
    }

    /// What this call must not show: its credentials, and what was found in its query and its body.
    private var shownNowhere: [Secret] {
        let isSearched = state.withLock(\.known.hasSearchedBody)
        let (credentials, found) = (carriedNowhere, isSearched ? [] : search?.contents ?? [])
        return state.withLock { state in
            if !state.known.hasSearchedBody { state.known.others += found }
            state.known.hasSearchedBody = true
            return credentials + state.known.others
        }
    }

    /// `text` without the secrets this call has sent, as they are or percent-encoded.
    public func scrub(_ text: String) -> String { Self.mask(shownNowhere, in: text) }

    private static func mask(_ secrets: [Secret], in text: String) -> String {
        secrets.reduce(text) { text, secret in
            let plain = secret.reveal()
            guard !plain.isEmpty else { return text }
            return text.replacing(plain, with: Redaction.mask).replacing(
                PercentEncoding.encode(plain), with: Redaction.mask)
        }
    }
}
