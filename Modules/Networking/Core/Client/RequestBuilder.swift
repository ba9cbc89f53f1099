import FoundationEssentials
import StrataDomain
import StrataSystem

/// Turns endpoints and raw requests into requests of the pipeline: base URL, default headers, identity of the call.
struct RequestBuilder: Sendable {
    let base: HTTPURL
    let options: ClientOptions
    let resilience: Resilience
    let events: EventSink
    /// The path of `base`, without the slash it may end with.
    private let prefix: String

    init(base: HTTPURL, options: ClientOptions, resilience: Resilience, events: @escaping EventSink) {
        (self.base, self.options, self.resilience, self.events) = (base, options, resilience, events)
        prefix = base.pathPrefix
    }

    /// - Parameter body: In place of the endpoint's own.
    /// - Throws: `.invalidRequest` for an endpoint that does not fit its route, or a header that cannot be sent.
    func request<E: Endpoint>(
        for endpoint: E, _ call: CallOptions, body: UploadBody? = nil, receivesOnce: Bool
    ) throws(NetworkError) -> ClientRequest {
        let parts: EndpointRequest
        do { parts = try endpoint.request(in: E.json.or(options.json)) } catch {
            throw NetworkError(.invalidRequest(error.description))
        }
        let url = try url(of: parts)
        let summary = "\(parts.method.rawValue) \(parts.url == nil ? parts.path : url.path)"
        var call = call.overlaying(endpoint.options)
        call.headers = parts.headers.overlaid(with: call.headers)
        return try request(
            parts.method, url, body: body ?? parts.body.map { .bytes($0.bytes, contentType: $0.contentType) }, call,
            Identity(
                summary: summary, receivesOnce: receivesOnce,
                mayJoin: options.coalescesReads, events: events))
    }

    private func url(of parts: EndpointRequest) throws(NetworkError) -> HTTPURL {
        var summary: String { "\(parts.method.rawValue) \(parts.path)" }
        if let text = parts.url {
            let url: HTTPURL
            do { url = try HTTPURL(base.absolute(text)) } catch {
                throw NetworkError(.invalidRequest(error.description), request: summary)
            }
            guard owns(url.origin) else {
                throw NetworkError(.invalidRequest(Self.isForeign(url.origin)), request: summary)
            }
            return url
        }
        guard parts.path.utf8.first == UInt8(ascii: "/"), parts.path.utf8.allSatisfy(Self.isPathByte) else {
            throw NetworkError(
                .invalidRequest(
                    "path '\(parts.path)' must start with '/', be percent-encoded and have no query; a URL that the server "
                        + "gave is sent with 'send(url, as:)'"),
                request: summary)
        }
        return HTTPURL(
            origin: base.origin, path: prefix + parts.path,
            query: parts.query.items.isEmpty ? nil : parts.query.encoded)
    }

    /// The absolute URL that `reference` means in a response from `source`.
    ///
    /// - Throws: `.invalidResponse` for a malformed reference, and for one to an origin that the client does not send to.
    func resolve(_ reference: String, _ source: String) throws(NetworkError) -> String {
        let url: HTTPURL
        do { url = try HTTPURL(source).resolving(reference) } catch {
            // Not repeated: it may hold a secret.
            throw NetworkError(
                .invalidResponse(
                    "the URL that the server gave cannot be used: it must be an http or https URL of a host, without a user name"
                ))
        }
        guard owns(url.origin) else { throw NetworkError(.invalidResponse(Self.isForeign(url.origin))) }
        return url.description
    }

    private static func isForeign(_ origin: Origin) -> String {
        "\(origin) is neither the client's origin nor trusted; name it in 'trustedOrigins', or send a raw request"
    }

    /// - Throws: `.invalidRequest` for a malformed URL or a header that cannot be sent.
    func request(
        _ raw: RawRequest, _ call: CallOptions, events: @escaping EventSink, receivesOnce: Bool
    ) throws(NetworkError) -> ClientRequest {
        let url: HTTPURL
        do {
            url = try HTTPURL(raw.url.hasPrefix("/") ? "\(base.origin)\(prefix)\(raw.url)" : raw.url)
        } catch {
            throw NetworkError(.invalidRequest(error.description))
        }
        var call = call
        call.headers = raw.headers.overlaid(with: call.headers)
        let own = self.events
        let both: EventSink = { event in
            own(event)
            events(event)
        }
        return try request(
            raw.method, url, body: raw.body, call,
            Identity(
                summary: "\(raw.method.rawValue) \(url.path)", receivesOnce: receivesOnce,
                mayJoin: false, events: both))
    }

    /// What names a call, apart from its message.
    private struct Identity {
        let summary: String
        let receivesOnce: Bool
        let mayJoin: Bool
        let events: EventSink
    }

    private func request(
        _ method: HTTPMethod, _ url: HTTPURL, body: UploadBody?, _ call: CallOptions, _ identity: Identity
    ) throws(NetworkError) -> ClientRequest {
        // What the client always sends is meant for its own API, not for wherever a raw request goes.
        var headers = owns(url.origin) ? options.headers : options.headers.forForeignOrigin()
        headers.reserveCapacity(adding: call.headers.fields.count + 8)
        if let type = body?.contentType { headers[FieldName.contentType] = type }
        headers.overlay(call.headers)
        let id = UUID.random()
        let given = call.idempotencyKey ?? headers[FieldName.idempotencyKey]
        let key = given ?? (call.retry.isIdempotent == true ? nil : automaticKey(method, url.origin))
        // Logs name the trace that is on the wire.
        let own = headers[FieldName.traceparent].flatMap { TraceContext(traceparent: $0) }
        let context = CallContext(
            requestId: headers[FieldName.requestId] ?? id.text, summary: identity.summary,
            idempotencyKey: key, keyOrigin: given == nil ? url.origin : nil,
            deadline: resilience.deadline(call.deadline, isStream: identity.receivesOnce),
            attemptTimeout: call.attemptTimeout, idleTimeout: call.idleTimeout, retry: call.retry,
            receivesOnce: identity.receivesOnce,
            mayJoin: identity.mayJoin, isReconnection: call.isReconnection,
            trace: own ?? TraceContext.current ?? TraceContext(id),
            secrets: CallSecrets(
                search: SecretSearch(
                    redaction: options.redaction, query: url.query, body: body?.bytes,
                    contentType: headers[FieldName.contentType])),
            events: identity.events)
        for secret in options.credentials { context.secrets.remember(secret) }
        for secret in call.headers.credentials(options.redaction) { context.secrets.remember(secret) }
        if let key { headers[FieldName.idempotencyKey] = key }
        if key?.trimmed.isEmpty == true {
            throw NetworkError(
                .invalidRequest("an empty idempotency key names nothing; leave it out"), request: identity.summary)
        }
        try check(call, identity.summary)
        try check(method, call.headers, key: key, body, identity.summary)
        return ClientRequest(method, url, headers: headers, body: body, context: context)
    }

    func owns(_ origin: Origin) -> Bool { origin == base.origin || options.trustedOrigins.contains(origin) }

    /// - Returns: A new key for a write whose server is known to honour keys.
    private func automaticKey(_ method: HTTPMethod, _ origin: Origin) -> String? {
        guard options.addsIdempotencyKeys, !method.isIdempotent, origin == base.origin else { return nil }
        return UUID.random().text
    }

    private func check(_ call: CallOptions, _ summary: String) throws(NetworkError) {
        if let attempts = call.retry.attempts, !RetryPolicy.possibleAttempts.contains(attempts) {
            throw NetworkError(
                .invalidRequest("\(attempts) attempts cannot be made; use 1 to 20, or 'never'"), request: summary)
        }
        if let idle = call.idleTimeout, idle <= .zero {
            throw NetworkError(
                .invalidRequest("an idle timeout of \(idle.text) cannot be met; use more than zero"), request: summary)
        }
    }

    private func check(
        _ method: HTTPMethod, _ callers: HeaderFields, key: String?, _ body: UploadBody?, _ summary: String
    ) throws(NetworkError) {
        // The client's own fields were checked with its options.
        var added = callers
        if let key { added.add(FieldName.idempotencyKey, key) }
        if let type = body?.contentType { added.add(FieldName.contentType, type) }
        if let field = added.first(where: { !$0.isSendable }) {
            throw NetworkError(
                .invalidRequest("header '\(field.name)' has an illegal character in its name or value"),
                request: summary)
        }
        if let field = callers.first(where: { FieldName.framing.contains($0.name.lowercased()) }) {
            throw NetworkError(
                .invalidRequest("header '\(field.name)' is set by the connection; leave it out"), request: summary)
        }
        if body != nil, [.get, .head].contains(method) {
            throw NetworkError(
                .invalidRequest("a \(method.rawValue) carries no body; use POST, or put the values into the query"),
                request: summary)
        }
    }

    private static func isPathByte(_ byte: UInt8) -> Bool {
        HTTPURL.isURLByte(byte) && byte != UInt8(ascii: "?") && byte != UInt8(ascii: "#")
    }
}
