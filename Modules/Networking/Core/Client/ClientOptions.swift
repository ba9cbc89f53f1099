public import StrataDomain
import StrataSystem

/// What one client adds to its requests, and how much it accepts.
public struct ClientOptions: Sendable {
    /// Sent unless a request has a field of the same name. Default: `Accept` for JSON and problem documents.
    public private(set) var headers: HeaderFields
    /// Bytes of a decoded response. Default 16 MiB.
    public private(set) var bodyLimit = 16 << 20
    /// Origins besides the base URL's that may see the credential. Default: none.
    public private(set) var trustedOrigins: Set<Origin> = []
    /// What is masked in logs and errors of this client.
    public private(set) var redaction = Redaction.standard
    /// Whether a POST or PATCH to the base URL's origin gets an `Idempotency-Key` of its own, one for all its attempts, so
    /// that it may be repeated. Only for servers that honour keys. Default: no.
    public private(set) var addsIdempotencyKeys = false
    /// Redirects that one call may follow; 0 hands every 3xx to the caller. Default 10.
    public private(set) var redirects = 10
    /// Whether equal reads that are under way at once share one answer. Default: yes.
    public private(set) var coalescesReads = true
    /// What the servers of `trustedOrigins` and of the base URL are told about each call. Default: nothing, because a server that
    /// does not know the fields may refuse them. `.all` for a Strata backend.
    public private(set) var callFields: CallFields = []
    /// How JSON is written and read, unless an endpoint states its own form. Default: that of Strata's own servers, snake_case.
    public private(set) var json = JSONForm.snakeCase
    /// What `headers` hold that must not be shown.
    private(set) var credentials: [Secret] = []

    /// The defaults: our JSON, 16 MiB for a body.
    public static let standard = ClientOptions()

    /// The product and the version that are named where the user names none: `Strata/1.0.0`.
    public static let userAgent = "Strata/\(StrataVersion.current)"

    /// - Parameters:
    ///   - userAgent: Product and version, such as `tides/1.0`.
    ///   - headers: Besides `Accept` and `User-Agent`, or instead of them.
    ///   - bodyLimit: 1 byte to 1 GiB.
    ///   - redirects: 0 to 50.
    public init(
        userAgent: String = userAgent, headers: HeaderFields = [:], bodyLimit: Int = standard.bodyLimit,
        trustedOrigins: Set<Origin> = standard.trustedOrigins, redaction: Redaction = standard.redaction,
        addsIdempotencyKeys: Bool = standard.addsIdempotencyKeys, redirects: Int = standard.redirects,
        coalescesReads: Bool = standard.coalescesReads, callFields: CallFields = standard.callFields,
        json: JSONForm = standard.json
    ) throws(OptionsError) {
        guard (1...(1 << 30)).contains(bodyLimit) else {
            throw OptionsError("A body limit of \(bodyLimit) bytes is not possible; use 1 byte to 1 GiB.")
        }
        guard (0...50).contains(redirects) else {
            throw OptionsError("\(redirects) redirects cannot be followed; use 0 to 50.")
        }
        self.init(userAgent: userAgent)
        self.headers.overlay(headers)
        self.bodyLimit = bodyLimit
        self.trustedOrigins = trustedOrigins
        self.redaction = redaction
        self.addsIdempotencyKeys = addsIdempotencyKeys
        self.redirects = redirects
        self.coalescesReads = coalescesReads
        self.callFields = callFields
        self.json = json
        credentials = headers.credentials(redaction)
        if let field = self.headers.first(where: { !$0.isSendable }) {
            throw OptionsError("Header '\(field.name)' cannot be sent: its name or value has an illegal character.")
        }
        if let field = self.headers.first(where: { FieldName.framing.contains($0.name.lowercased()) }) {
            throw OptionsError("Header '\(field.name)' is set by the connection; leave it out.")
        }
    }

    private init(userAgent: String = userAgent) {
        headers = [FieldName.accept: "\(MediaType.json), \(MediaType.problem)", FieldName.userAgent: userAgent]
    }
}
