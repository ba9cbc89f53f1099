import FoundationEssentials
import HTTPTypes
import Hummingbird
import StrataConcurrency
import StrataDomain

/// The innermost handler: finds the endpoint, authorizes the caller, reads the request, runs the endpoint and builds the
/// response.
struct EndpointResponder: Sendable {
    enum Handler: Sendable {
        case endpoint(MountedEndpoint)
        case raw(RawRoute)
    }

    private let routes: RouteTable<Handler>
    private let store: any Store
    private let access: AccessControl
    private let bodies: RequestBodyReader
    private let limits: ServiceLimits
    private let answersPreflights: Bool
    let timers: TimerQueue
    /// Files and long responses of each caller.
    private let transfers: Permits
    let largeResponses: LargeBodies
    private let largeRequests: LargeBodies
    /// Idempotency keys whose request runs now, in this process.
    private let keysInFlight = Permits(limit: 1)

    /// - Parameter answersPreflights: Without, a preflight is an OPTIONS request like any other.
    init(
        routes: RouteTable<Handler>, store: any Store, access: AccessControl, limits: ServiceLimits,
        answersPreflights: Bool, timers: TimerQueue
    ) {
        self.routes = routes
        self.store = store
        self.access = access
        self.limits = limits
        self.answersPreflights = answersPreflights
        self.timers = timers
        bodies = RequestBodyReader(limits: limits, timers: timers)
        transfers = Permits(limit: limits.transfersPerCaller)
        largeResponses = LargeBodies(
            limit: limits.maxWaitingBytes / 2, timers: timers,
            refusal: "Too many large responses wait for their readers.")
        largeRequests = LargeBodies(
            limit: limits.maxReceivedBytes / 2, timers: timers,
            refusal: "Too many large requests are being processed.")
    }

    /// What waits or is being sent, for `/metrics`.
    var samples: [MetricSample] {
        [
            MetricSample(
                "http_large_response_bytes", .gauge, "Bytes of responses above 128 KiB that are being sent.",
                Double(largeResponses.bytes)),
            MetricSample(
                "http_large_responses_waiting", .gauge, "Reads that wait until large responses were sent.",
                Double(largeResponses.waiting)),
            MetricSample(
                "http_large_request_bytes", .gauge, "Bytes of request bodies above 32 KiB that are in memory.",
                Double(largeRequests.bytes)),
            MetricSample(
                "http_large_requests_waiting", .gauge, "Requests that wait until large ones have a response.",
                Double(largeRequests.waiting)),
            MetricSample(
                "http_transfers", .gauge, "Uploads, files and long responses in progress.", Double(transfers.taken)),
        ]
    }

    func respond(to call: ServiceCall) async throws -> Response {
        if answersPreflights, call.isPreflight { return preflight(call) }
        let line = try RequestLine(call.request.head.path ?? "", limit: limits.maxTarget)
        guard let match = routes.match(line.segments) else {
            try access.count(call, of: nil)
            throw ServiceError(
                404, code: "no_such_path", title: "Not found", detail: "There is no resource at '\(line.target.path)'.")
        }
        let method = StrataDomain.HTTPMethod(rawValue: call.request.method.rawValue)
        // RFC 9110, section 9.3.2: HEAD is GET without the content.
        guard let method, let entry = match.values[method == .head ? .get : method] else {
            call.notes.route = match.values.values.first?.template
            try access.count(call, of: nil)
            throw ServiceError.methodNotAllowed(call.request.method.rawValue, allowed: match.values.keys)
        }
        call.notes.route = entry.template
        switch entry.value {
        case .raw(let raw):
            try access.count(call, of: nil)
            return try await raw.respond(call)
        case .endpoint(let endpoint):
            do {
                let parameters = match.parameters(of: entry)
                return try await respond(
                    to: MatchedRequest(call: call, endpoint: endpoint, line: line, parameters: parameters))
            } catch  where endpoint.usesOAuthErrors && (error is ServiceError || error is EndpointError) {
                throw ServiceError(mapping: error).asOAuth
            }
        }
    }

    /// 204 with the methods of the path in `Allow`, if the service has the path. Nothing is authenticated or counted: a browser
    /// sends no credentials with a preflight, and a user who may still write must not fail at the rate of an address.
    private func preflight(_ call: ServiceCall) -> Response {
        let line = try? RequestLine(call.request.head.path ?? "", limit: limits.maxTarget)
        guard let match = line.flatMap({ routes.match($0.segments) }) else { return Response(status: .noContent) }
        call.notes.route = match.values.values.first?.template
        return Response(status: .noContent, headers: [.allow: ServiceError.allowList(match.values.keys)])
    }

    /// A request and the endpoint of its route.
    private struct MatchedRequest: Sendable {
        let call: ServiceCall
        let endpoint: MountedEndpoint
        let line: RequestLine
        let parameters: [String: String]
    }

    private struct Caller: Sendable {
        let principal: Principal?
        let idempotencyKey: String?
        /// Whether `principal` is who sent the request; `nil` when that is known.
        var check: CallerCheck?
    }

    /// Applies the deadline. The longer limit of an upload begins once its caller is authorized.
    private func respond(to request: MatchedRequest) async throws -> Response {
        let deadline = try CallDeadline(
            request.call.request.headers, on: timers, executor: request.call.executor)
        guard case .upload(let upload) = request.endpoint.work else {
            let timeLeft = deadline.timeLeft(of: limits.requestTime)
            return try await deadline.bound(to: limits.requestTime) {
                let caller = try await expected(request)
                let (bytes, permit) = try await body(of: request, caller, timeLeft)
                defer { withExtendedLifetime(permit) {} }
                return try await checked(request, caller) { caller in
                    try await run(request, input(request, caller, body: bytes, timeLeft: timeLeft))
                }
            }
        }
        let caller = try await deadline.bound(to: limits.requestTime) { try await authorize(request) }
        return try await deadline.bound(to: limits.transferTime) { try await receive(upload, request, caller) }
    }

    /// The body; a large one with a permit, for which the request may have to wait.
    private func body(
        of request: MatchedRequest, _ caller: Caller, _ timeLeft: Duration?
    ) async throws -> (Data, LargeBodyPermit?) {
        let (call, limit) = (request.call, request.endpoint.bodyLimit ?? limits.maxBody)
        guard let bytes = try bodies.expectedBytes(call, limit: limit) else { return (Data(), nil) }
        guard bytes > LargeBodies.Smallest.request else { return (try await bodies.read(call, limit: limit), nil) }
        let progress = BodyProgress()
        let claim = LargeBodies.Claim(
            bytes: bytes, caller: Self.callerKey(call, caller.principal), received: { progress.count },
            close: call.closeConnection)
        let permit = try await largeRequests.wait(for: claim, until: longestWait(timeLeft))
        permit.begin()
        let body = try await bodies.read(call, limit: limit, progress)
        permit.end(bytes: body.count)
        return (body, permit)
    }

    /// The caller, who may still have to be checked with the first read.
    ///
    /// - Throws: As `authorize`.
    private func expected(_ request: MatchedRequest) async throws -> Caller {
        let key = Result { try Self.idempotencyKey(request) }
        guard request.endpoint.checksCaller, case .success(let key) = key,
            let expected = try await access.expected(request.call, for: request.endpoint.access)
        else { return try await authorize(request) }
        request.call.notes.principal = expected.principal.key
        return Caller(principal: expected.principal, idempotencyKey: key, check: CallerCheck(expected))
    }

    /// Runs `body` for `caller`, and again for who it is if that is not the expected one. Nothing is shown before it is known, no error
    /// either.
    private func checked(
        _ request: MatchedRequest, _ caller: Caller, _ body: (Caller) async throws -> Response
    ) async throws -> Response {
        guard let check = caller.check else { return try await body(caller) }
        do {
            let outcome: Result<Response, any Error>
            do {
                outcome = .success(try await body(caller))
            } catch let error as StoreError where error.endsTransaction {
                // The database cannot say now who the caller is; a second look would only wait once more.
                throw error
            } catch {
                outcome = .failure(error)
            }
            try await check.make(in: store)
            return try outcome.get()
        } catch is CallerCheck.Failed {
            return try await body(authorize(request))
        }
    }

    /// - Throws: As `AccessControl`; 400 for a malformed `Idempotency-Key`.
    private func authorize(_ request: MatchedRequest) async throws -> Caller {
        let principal = try await access.authorize(request.call, for: request.endpoint.access)
        request.call.notes.principal = principal?.key
        return Caller(principal: principal, idempotencyKey: try Self.idempotencyKey(request))
    }

    private static func idempotencyKey(_ request: MatchedRequest) throws -> String? {
        let sent = request.call.request.headers[values: .idempotencyKey]
        guard sent.allSatisfy(IdempotencyClaim.isKey), sent.count <= 1 else {
            throw EndpointError(
                .malformed, in: .header, key: "Idempotency-Key",
                expected: "1 to 255 visible ASCII characters, sent once")
        }
        return sent.first
    }

    private func input(
        _ request: MatchedRequest, _ caller: Caller, body: Data = Data(), timeLeft: Duration? = nil
    ) throws -> EndpointInput {
        let (call, target) = (request.call, request.line.target)
        var claim: IdempotencyClaim?
        if let key = caller.idempotencyKey, let owner = caller.principal, request.endpoint.storesResponses {
            claim = IdempotencyClaim(
                key: key, owner: owner, method: request.endpoint.route.method, target: target, body: body)
        }
        return EndpointInput(
            parts: EndpointParts(
                pathParameters: request.parameters, query: target.query, headers: HeaderFields(call.request.headers),
                body: try Self.body(body, call.request.headers)),
            scope: RequestScope(
                principal: caller.principal, requestId: call.requestId, now: call.receivedAt,
                clientAddress: call.origin.address, idempotencyKey: caller.idempotencyKey, timeLeft: timeLeft),
            store: store, target: target, host: call.origin.host ?? call.request.head.authority ?? "", claim: claim,
            log: IdempotencyLog(rates: access.rates, largeBodies: limits.maxIdempotentBytes), check: caller.check,
            authenticator: access.authenticator, notes: call.notes)
    }

    private static func body(_ bytes: Data, _ headers: HTTPFields) throws -> StrataDomain.RequestBody? {
        guard !bytes.isEmpty else { return nil }
        let type = headers[.contentType] ?? ""
        let violation: JSONPrecheck.Violation? =
            switch MediaType.essence(type) {
            case MediaType.json: JSONPrecheck.violation(in: bytes)
            case MediaType.form: bytes.contains(0) || bytes.firstRange(of: Data("%00".utf8)) != nil ? .nul : nil
            default: nil
            }
        if let violation {
            throw ServiceError(400, code: "malformed_body", title: "Unreadable body", detail: violation.sentence)
        }
        return StrataDomain.RequestBody(contentType: type, bytes: bytes)
    }

    private func run(_ request: MatchedRequest, _ input: EndpointInput) async throws -> Response {
        let (call, endpoint) = (request.call, request.endpoint)
        switch endpoint.work {
        case .respond(let respond) where endpoint.route.method == .get && !endpoint.storesResponses:
            return try await read(call, input, respond)
        case .respond(let respond):
            let response = try await holdingKey(of: input.claim) { try await respond(input) }
            return Response(response, to: call.request)
        case .file(let find):
            let permit = try transferPermit(call, input.scope)
            return try await Response(find(input), to: call.request, for: endpoint.access).holding(permit)
        case .stream(let start):
            let permit = try transferPermit(call, input.scope)
            return try await Response(start(input)).holding(permit)
        case .upload: throw ServiceError.unexpected
        }
    }

    private func receive(
        _ upload: UploadEndpoint, _ request: MatchedRequest, _ caller: Caller
    ) async throws -> Response {
        let input = try input(request, caller)
        let permit = try transferPermit(request.call, input.scope)
        defer { withExtendedLifetime(permit) {} }
        let body = IncomingBody(request.call, bodies: bodies)
        let response = try await holdingKey(of: input.claim) { try await upload.run(input, body) }
        return Response(response, to: request.call.request)
    }

    /// - Throws: 409 while another request with the same key runs.
    private func holdingKey<Result>(
        of claim: IdempotencyClaim?, _ body: () async throws -> Result
    ) async throws -> Result {
        guard let claim else { return try await body() }
        guard let permit = keysInFlight.take(for: claim.id) else { throw ServiceError.idempotencyKeyInFlight }
        defer { withExtendedLifetime(permit) {} }
        return try await body()
    }

    /// - Throws: 429 (RFC 6585, section 4) when every permit of the caller, or of its address, is taken.
    private func transferPermit(_ call: ServiceCall, _ scope: RequestScope) throws -> Permit {
        guard let permit = transfers.take(for: Self.callerKey(call, scope.principal)) else {
            throw ServiceError.tooManyTransfers(limit: limits.transfersPerCaller)
        }
        return permit
    }

    /// Names the caller, or its address, in permits.
    static func callerKey(_ call: ServiceCall, _ principal: Principal?) -> String {
        principal?.key ?? "address:\(ClientNetwork.key(call.origin.address))"
    }
}

extension ServiceError {
    /// Methods as the value of `Allow`; with GET also HEAD.
    fileprivate static func allowList(_ methods: some Sequence<StrataDomain.HTTPMethod>) -> String {
        var names = Set(methods.map(\.rawValue))
        if names.contains("GET") { names.insert("HEAD") }
        return names.sorted().joined(separator: ", ")
    }

    fileprivate static func methodNotAllowed(
        _ method: String, allowed: some Sequence<StrataDomain.HTTPMethod>
    ) -> ServiceError {
        let list = allowList(allowed)
        return ServiceError(
            405, code: "method_not_allowed", title: "Method not allowed",
            detail: "'\(method)' is not possible here; use \(list).", headers: ["Allow": list])
    }

    static let idempotencyKeyInFlight = ServiceError(
        409, code: "idempotency_in_flight", title: "Still running",
        detail: "The first request with this Idempotency-Key has not finished; ask again in a second.",
        headers: ["Retry-After": "1"])

    static func tooManyTransfers(limit: Int) -> ServiceError {
        ServiceError(
            429, code: "too_many_transfers", title: "Too many transfers",
            detail: "You have \(limit) files or long responses in progress; wait for one to end. Try again in 1 s.",
            headers: ["Retry-After": "1"])
    }
}
