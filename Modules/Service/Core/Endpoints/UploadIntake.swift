import FoundationEssentials
import HTTPTypes
import Hummingbird
import StrataDomain

/// Takes the body of an upload in, under watch.
struct UploadIntake: Sendable {
    private let call: ServiceCall
    private let bodies: RequestBodyReader
    private let boundary: MultipartBoundary
    private let declared: Int?
    private let limit: Int

    /// What a form may have besides its content: headers and boundaries.
    private static let framing = 256 * 1024

    /// - Throws: 415 and 400 for a body that is no form; 413 for one that is declared too large.
    init(_ call: ServiceCall, contentLimit: Int, bodies: RequestBodyReader) throws {
        self.call = call
        self.bodies = bodies
        boundary = try MultipartBoundary(contentType: call.request.headers[values: .contentType])
        declared = try bodies.declaredLength(call.request.headers)
        limit = contentLimit + Self.framing
        if let declared, declared > limit { throw RequestBodyReader.tooLarge(contentLimit) }
    }

    /// - Throws: 400, 408, 413; what `receive` throws.
    func take<Received: Sendable>(
        _ receive: @escaping @Sendable (UploadForm) async throws -> Received
    ) async throws -> Received {
        call.inviteBody()
        let progress = UploadProgress()
        return try await bodies.watching(progress) {
            let source = UploadSource(call, declared: declared, limit: limit, progress: progress)
            return try await receive(UploadForm(source, boundary: boundary))
        }
    }
}

extension EndpointResponder {
    /// Answers an upload: what can be refused is refused before its body is read.
    func receive(
        _ call: ServiceCall, _ work: UploadWork, at endpoint: MountedEndpoint, _ line: RequestLine,
        _ parameters: [String: String], _ principal: Principal?, _ key: String?
    ) async throws -> Response {
        let place = try transfers.take(for: Self.caller(principal, call))
        defer { withExtendedLifetime(place) {} }
        let intake = try UploadIntake(call, contentLimit: work.contentLimit, bodies: bodies)
        let scope = RequestScope(
            principal: principal, requestId: call.requestId, now: call.receivedAt,
            clientAddress: call.origin.address, idempotencyKey: key)
        let parts = EndpointParts(
            pathParameters: parameters, query: line.target.query, headers: HeaderFields(call.request.headers))
        var claim: IdempotencyClaim?
        if let key, let principal {
            claim = IdempotencyClaim(
                key: key, owner: principal, method: endpoint.route.method, target: line.target, body: Data())
        }
        let execution = Execution(store: store, target: line.target, claim: claim)
        let answer = try await inFlight.run(claim) {
            try await work.admit(parts, scope, store)
            return try await work.run(parts, scope, execution, intake)
        }
        return Response(answer, to: call.request)
    }
}
