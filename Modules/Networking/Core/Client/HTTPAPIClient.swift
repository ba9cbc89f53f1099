public import FoundationEssentials
public import Logging
public import StrataDomain

/// The API client over HTTP: one base URL, one way to authenticate, the standard pipeline, JSON.
public struct HTTPAPIClient: APIClient {
    /// What paths of endpoints are appended to.
    public let baseURL: HTTPURL
    /// What every call passes through, outermost first.
    public let pipeline: Pipeline
    let builder: RequestBuilder
    let resilience: Resilience
    let auth: AuthStyle
    let options: ClientOptions

    /// - Parameters:
    ///   - baseURL: Paths of endpoints are put behind its path.
    ///   - auth: The credential goes to the base URL's origin and `options.trustedOrigins`, nowhere else.
    ///   - resilience: Shared by all clients of the process.
    ///   - interceptors: The user's, around the whole call: between deadline and coalescing. One that sends a call in the name
    ///     of a user or a tenant belongs here: coalescing tells calls apart by all fields that it sets, a cache by credentials
    ///     and the fields in `Vary`.
    ///   - cache: Between coalescing and redirects.
    ///   - attemptInterceptors: The user's, around each attempt: between attempt timeout and signing. Coalescing and cache do not
    ///     see their changes. So the client neither shares nor caches responses, and warns once in its log, unless each one
    ///     states that it `keepsIdentity`; the same holds for `cache`.
    ///   - events: Told every decision.
    /// - Throws: A sentence when `baseURL` has a query, or a name in `auth` cannot be sent.
    public init(
        baseURL: HTTPURL, transport: any Transport, auth: AuthStyle = .none, resilience: Resilience,
        options: ClientOptions = .standard, interceptors: [any Interceptor] = [], cache: [any Interceptor] = [],
        attemptInterceptors: [any Interceptor] = [], logger: Logger = Logger(label: "strata.network"),
        events: @escaping EventSink = { _ in }
    ) throws(OptionsError) {
        guard baseURL.query == nil else {
            throw OptionsError("The base URL \(baseURL.origin)\(baseURL.path) must have no query; remove it.")
        }
        try auth.check()
        self.baseURL = baseURL
        self.resilience = resilience
        self.auth = auth
        self.options = options
        builder = RequestBuilder(
            base: baseURL, options: options, resilience: resilience, events: NetworkMetrics.counting(then: events))
        let parts = Pipeline.Parts(
            auth: auth, options: options, trusted: options.trustedOrigins.union([baseURL.origin]),
            interceptors: interceptors, cache: cache, attemptInterceptors: attemptInterceptors, logger: logger)
        pipeline = .standard(parts, resilience, transport: transport)
    }

    public var context: ClientContext {
        let (resilience, origin) = (resilience, baseURL.origin)
        return ClientContext(
            now: { resilience.time.now }, sleep: { try await resilience.time.sleep(for: $0) },
            wallClock: resilience.wallClock, random: resilience.random,
            mayRetry: { resilience.options.budget.withdraw(for: origin) }, json: options.json,
            resolve: { [builder] (reference, base) throws(NetworkError) in try builder.resolve(reference, base) })
    }

    public func response<E: Endpoint>(
        to endpoint: E, options: CallOptions
    ) async throws(NetworkError) -> APIResponse<E.Response> {
        try await answer(
            try builder.request(for: endpoint, options, receivesOnce: false), in: E.json.or(self.options.json))
    }

    private func answer<Value: Decodable & Sendable>(
        _ request: ClientRequest, in form: JSONForm
    ) async throws(NetworkError) -> APIResponse<Value> {
        do {
            let collected = try await pipeline.send(request) {
                [method = request.method, limit = options.bodyLimit] response in
                try await CollectedResponse(response, to: method, upTo: limit)
            }
            let value: Value = try await self.value(of: collected, as: form, in: request.context)
            let url = request.context.history.url ?? request.url
            return APIResponse(head: collected.head, value: value, url: url.description)
        } catch {
            throw finished(error, request.context)
        }
    }

    public func stream<E: Endpoint, Result: Sendable>(
        _ endpoint: E, options: CallOptions,
        receive:
            @escaping @Sendable (ResponseHead, any AsyncSequence<Data, any Error> & Sendable) async throws -> Result
    ) async throws(NetworkError) -> Result {
        let request = try builder.request(for: endpoint, options, receivesOnce: true)
        let (resilience, limit, form) = (resilience, self.options.bodyLimit, E.json.or(self.options.json))
        do {
            return try await pipeline.send(
                request,
                receiving: { response in
                    guard !(200..<300).contains(response.head.status) else {
                        return try await receive(response.head, response.body)
                    }
                    let collected = try await CollectedResponse(response, to: request.method, upTo: limit)
                    throw collected.failure(now: resilience.wallClock.now, in: form)
                })
        } catch {
            throw finished(error, request.context)
        }
    }

    /// The error as the caller sees it: named after its request, with what each attempt met and no secret of the call.
    private func finished(_ error: any Error, _ context: CallContext) -> NetworkError {
        var failure = NetworkError(error).hiding(context.secrets, options.redaction)
        failure.request = context.summary
        failure.attempts = context.history.attempts
        return failure
    }

    private func value<Value: Decodable & Sendable>(
        of collected: CollectedResponse, as form: JSONForm, in context: CallContext
    ) async throws -> Value {
        guard collected.isSuccess else { throw collected.failure(now: resilience.wallClock.now, in: form) }
        let value = try await collected.decode(Value.self, in: form)
        // Decoding cannot be interrupted, but it counts.
        guard !context.deadline.hasPassed else { throw NetworkError(.timeout) }
        return value
    }
}

extension HTTPAPIClient: Uploader {
    public func upload<E: Endpoint>(
        _ endpoint: E, body: UploadBody, options: CallOptions
    ) async throws(NetworkError) -> APIResponse<E.Response> {
        try await answer(
            try builder.request(for: endpoint, options, body: body, receivesOnce: false),
            in: E.json.or(self.options.json))
    }
}

extension HTTPAPIClient: RawClient {
    public func collect(
        _ request: RawRequest, upTo limit: Int, options: CallOptions, events: @escaping EventSink
    ) async throws(NetworkError) -> RawResponse {
        let request = try builder.request(request, options, events: events, receivesOnce: false)
        do {
            return try await pipeline.send(request) { response in
                RawResponse(head: response.head, bytes: try await response.body.collect(upTo: limit))
            }
        } catch {
            throw finished(error, request.context)
        }
    }

    public func stream<Result: Sendable>(
        _ request: RawRequest, options: CallOptions, events: @escaping EventSink,
        receive:
            @escaping @Sendable (ResponseHead, any AsyncSequence<Data, any Error> & Sendable) async throws -> Result
    ) async throws(NetworkError) -> Result {
        let request = try builder.request(request, options, events: events, receivesOnce: true)
        do {
            return try await pipeline.send(request) { response in
                try await receive(response.head, response.body)
            }
        } catch {
            throw finished(error, request.context)
        }
    }

    public func state(of url: String) -> OriginState? {
        let url = try? HTTPURL(url.hasPrefix("/") ? "\(baseURL.origin)\(url)" : url)
        return url.map { resilience.state(of: $0.origin) }
    }

    /// `endpoint` as a raw request, with an absolute URL.
    func raw<E: Endpoint>(_ endpoint: E) throws(NetworkError) -> RawRequest {
        let request = try builder.request(for: endpoint, CallOptions(), receivesOnce: true)
        return RawRequest(request.method, request.url.description, headers: request.headers, body: request.body)
    }
}

extension AuthStyle {
    fileprivate func check() throws(OptionsError) {
        guard case .apiKey(let key, let place) = self else { return }
        switch place {
        case .header(let name):
            let field: HeaderFields = [name: key.reveal()]
            guard field.allSatisfy(\.isSendable) else {
                throw OptionsError(
                    "The API key cannot be sent in header '\(name)': check the name, and the key for line breaks.")
            }
        case .query(let name):
            guard !name.isEmpty else { throw OptionsError("The query item of the API key needs a name.") }
        }
    }
}
