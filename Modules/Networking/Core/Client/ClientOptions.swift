public import StrataDomain

/// What one client adds to its requests, and how much it accepts.
public struct ClientOptions: Sendable {
    /// Sent unless a request has a field of the same name. Default: `Accept` for JSON and problem documents.
    public let headers: HeaderFields
    /// Bytes of a decoded response. Default 16 MiB.
    public let bodyLimit: Int
    /// Origins besides the base URL's that may see the credential. Default: none.
    public let trustedOrigins: Set<Origin>
    public let redaction: Redaction
    /// Whether a POST or PATCH to the base URL's origin gets an `Idempotency-Key` of its own, one for all its attempts, so
    /// that it may be repeated. Only for servers that honour keys. Default: no.
    public let addsIdempotencyKeys: Bool
    /// Redirects that one call may follow; 0 hands every 3xx to the caller. Default 10.
    public let redirects: Int
    /// Whether equal reads that are under way at once share one answer. Default: yes.
    public let coalescesReads: Bool
    /// What `headers` hold that must not be shown.
    let credentials: [Secret]

    public static let standard = ClientOptions(unchecked: "Strata", [:], 16 << 20, [], .standard, false, 10, true)

    /// - Parameters:
    ///   - userAgent: Product and version, such as `tides/1.0`.
    ///   - headers: Besides `Accept` and `User-Agent`, or instead of them.
    ///   - bodyLimit: 1 byte to 1 GiB.
    ///   - redirects: 0 to 50.
    public init(
        userAgent: String = "Strata", headers: HeaderFields = [:], bodyLimit: Int = 16 << 20,
        trustedOrigins: Set<Origin> = [], redaction: Redaction = .standard, addsIdempotencyKeys: Bool = false,
        redirects: Int = 10, coalescesReads: Bool = true
    ) throws(OptionsError) {
        guard (1...(1 << 30)).contains(bodyLimit) else {
            throw OptionsError("A body limit of \(bodyLimit) bytes is not possible; use 1 byte to 1 GiB.")
        }
        guard (0...50).contains(redirects) else {
            throw OptionsError("\(redirects) redirects cannot be followed; use 0 to 50.")
        }
        self.init(
            unchecked: userAgent, headers, bodyLimit, trustedOrigins, redaction, addsIdempotencyKeys, redirects,
            coalescesReads)
        if let field = self.headers.first(where: { !$0.isSendable }) {
            throw OptionsError("Header '\(field.name)' cannot be sent: its name or value has an illegal character.")
        }
        if let field = self.headers.first(where: { FieldName.framing.contains($0.name.lowercased()) }) {
            throw OptionsError("Header '\(field.name)' is set by the connection; leave it out.")
        }
    }

    private init(
        unchecked userAgent: String, _ headers: HeaderFields, _ bodyLimit: Int, _ trustedOrigins: Set<Origin>,
        _ redaction: Redaction, _ addsIdempotencyKeys: Bool, _ redirects: Int, _ coalescesReads: Bool
    ) {
        var all: HeaderFields = [
            FieldName.accept: "\(MediaType.json), \(MediaType.problem)", FieldName.userAgent: userAgent,
        ]
        all.overlay(headers)
        self.headers = all
        credentials = headers.credentials(redaction)
        self.bodyLimit = bodyLimit
        self.trustedOrigins = trustedOrigins
        self.redaction = redaction
        self.addsIdempotencyKeys = addsIdempotencyKeys
        self.redirects = redirects
        self.coalescesReads = coalescesReads
    }
}
