import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore
import StrataConcurrency
import StrataDomain

/// The innermost step: finds the endpoint, checks the caller, reads the request, runs the handler, writes the answer.
struct EndpointResponder: Sendable {
    /// What answers a route.
    enum Handler: Sendable {
        case endpoint(MountedEndpoint)
        /// Something without an endpoint type, open to anyone: `/metrics`.
        case raw(@Sendable (ServiceCall) async throws -> Response)
    }

    let routes: RouteTable<Handler>
    let store: any Store
    let caller: CallerCheck
    let bodies: RequestBodyReader
    let limits: ServiceLimits
    let timers: TimerQueue
    let transfers: CallerTransfers
    let inFlight = InFlightKeys()

    init(
        routes: RouteTable<Handler>, store: any Store, caller: CallerCheck, bodies: RequestBodyReader,
        limits: ServiceLimits, timers: TimerQueue
    ) {
        self.routes = routes
        self.store = store
        self.caller = caller
        self.bodies = bodies
        self.limits = limits
        self.timers = timers
        transfers = CallerTransfers(limit: limits.transfersPerCaller)
    }

    func respond(to call: ServiceCall) async throws -> Response {
        let line = try RequestLine(call.request.head.path ?? "", limit: limits.maxTarget)
        guard let match = routes.match(line.segments) else {
            try caller.count(call, of: nil)
            throw ServiceError(
                404, code: "no_such_path", title: "Not found", detail: "Nothing answers at '\(line.target.path)'.")
        }
        let method = StrataDomain.HTTPMethod(rawValue: call.request.method.rawValue)
        // RFC 9110, section 9.3.2: HEAD is GET without the content.
        guard let method, let entry = match.values[method == .head ? .get : method] else {
            call.notes.route = match.values.values.first?.template
            try caller.count(call, of: nil)
            throw Self.methodNotAllowed(call.request.method.rawValue, allowed: Array(match.values.keys))
        }
        call.notes.route = entry.template
        switch entry.value {
        case .raw(let respond): return try await respond(call)
        case .endpoint(let endpoint):
            do {
                return try await respond(to: call, at: endpoint, line, match.parameters(of: entry))
            } catch  where endpoint.speaksOAuth && (error is ServiceError || error is EndpointError) {
                throw ServiceError(answering: error).asOAuth
            }
        }
    }

    /// Keeps the call's deadline. An upload may take as long as a transfer, but only once its caller is known.
    private func respond(
        to call: ServiceCall, at endpoint: MountedEndpoint, _ line: RequestLine, _ parameters: [String: String]
    ) async throws -> Response {
        let deadline = try CallDeadline(call.request.headers, on: timers)
        guard case .upload(let work) = endpoint.work else {
            return try await deadline.bound(to: limits.requestTime) {
                try await answer(
                    call, at: endpoint, line, parameters, timeLeft: deadline.timeLeft(of: limits.requestTime))
            }
        }
        let principal = try await deadline.bound(to: limits.requestTime) { try await admitted(call, to: endpoint) }
        let key = try Self.idempotencyKey(call.request.headers)
        return try await deadline.bound(to: limits.transferTime) {
            try await receive(call, work, at: endpoint, line, parameters, principal, key)
        }
    }

    /// - Throws: As `CallerCheck`.
    private func admitted(_ call: ServiceCall, to endpoint: MountedEndpoint) async throws -> Principal? {
        let principal = try await caller.principal(call, for: endpoint.access)
        call.notes.principal = principal?.key
        return principal
    }

    /// Who a transfer counts for.
    static func caller(_ principal: Principal?, _ call: ServiceCall) -> String {
        principal?.key ?? "address:\(PeerNetwork.key(call.origin.address))"
    }

    private func answer(
        _ call: ServiceCall, at endpoint: MountedEndpoint, _ line: RequestLine, _ parameters: [String: String],
        timeLeft: Duration
    ) async throws -> Response {
        let headers = call.request.headers
        let principal = try await admitted(call, to: endpoint)
        let key = try Self.idempotencyKey(headers)
        let bytes = try await bodies.read(call, limit: endpoint.bodyLimit ?? limits.maxBody)
        let body = try Self.body(bytes, headers)
        let scope = RequestScope(
            principal: principal, requestId: call.requestId, now: call.receivedAt,
            clientAddress: call.origin.address, idempotencyKey: key, timeLeft: timeLeft)
        let parts = EndpointParts(
            pathParameters: parameters, query: line.target.query, headers: HeaderFields(headers), body: body)
        var claim: IdempotencyClaim?
        if let key, let principal, endpoint.keepsAnswers {
            claim = IdempotencyClaim(
                key: key, owner: principal, method: endpoint.route.method, target: line.target, body: bytes)
        }
        let execution = Execution(store: store, target: line.target, claim: claim)
        switch endpoint.work {
        case .answer(let answer):
            return Response(
                try await inFlight.run(claim) { try await answer(parts, scope, execution) }, to: call.request)
        case .file(let find):
            let place = try transfers.take(for: Self.caller(principal, call))
            return try await Response(find(parts, scope, store), to: call.request, for: endpoint.access).holding(place)
        case .stream(let answer):
            let place = try transfers.take(for: Self.caller(principal, call))
            return Response(streaming: try await answer(parts, scope), for: endpoint.access).holding(place)
        case .upload: throw ServiceError.unexpected
        }
    }

    private static func idempotencyKey(_ headers: HTTPFields) throws -> String? {
        let sent = headers[values: .idempotencyKey]
        guard let key = sent.first else { return nil }
        guard sent.count == 1, IdempotencyClaim.isKey(key) else {
            throw EndpointError(
                .malformed, in: .header, key: "Idempotency-Key",
                expected: "1 to 255 visible ASCII characters, sent once")
        }
        return key
    }

    private static func body(_ bytes: Data, _ headers: HTTPFields) throws -> StrataDomain.RequestBody? {
        guard !bytes.isEmpty else { return nil }
        let type = headers[.contentType] ?? ""
        if MediaType.essence(type) == MediaType.json, let flaw = JSONScreen.flaw(in: bytes) {
            throw ServiceError(400, code: "malformed_body", title: "Unreadable body", detail: flaw.sentence)
        }
        if MediaType.essence(type) == MediaType.form, bytes.contains(0) || bytes.containsEncodedNUL {
            throw ServiceError(
                400, code: "malformed_body", title: "Unreadable body", detail: JSONScreen.Flaw.nul.sentence)
        }
        return StrataDomain.RequestBody(contentType: type, bytes: bytes)
    }

    private static func methodNotAllowed(_ method: String, allowed: [StrataDomain.HTTPMethod]) -> ServiceError {
        var names = Set(allowed.map(\.rawValue))
        if names.contains("GET") { names.insert("HEAD") }
        let list = names.sorted().joined(separator: ", ")
        return ServiceError(
            405, code: "method_not_allowed", title: "Method not allowed",
            detail: "'\(method)' is not possible here; use \(list).", headers: ["Allow": list])
    }
}

extension Data {
    /// Whether a form holds `%00`.
    fileprivate var containsEncodedNUL: Bool { firstRange(of: Data("%00".utf8)) != nil }
}

extension Response {
    /// The answer, or 304 where the caller's copy is current (RFC 9110, section 13.1.2).
    init(_ answer: Answer, to request: Request) {
        var headers = HTTPFields(answer.headers)
        if request.method.isRead, let tag = answer.headers["ETag"].flatMap(EntityTag.init(parameter:)),
            IfNoneMatch.names(tag, request.headers[values: .ifNoneMatch])
        {
            headers[.contentType] = nil
            headers[.nextPage] = nil
            self.init(status: .notModified, headers: headers)
            return
        }
        self.init(
            status: HTTPResponse.Status(code: answer.status), headers: headers,
            body: answer.body.isEmpty ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)))
    }
}

extension HTTPRequest.Method {
    fileprivate var isRead: Bool { self == .get || self == .head }
}
