import FoundationEssentials
import StrataConcurrency
import StrataDomain

/// A response that was read to its end, or a failure read as far as it explains itself.
struct CollectedResponse: Sendable {
    /// Bytes of a problem document that are read.
    static let problemLimit = 64 * 1024

    let head: ResponseHead
    let bytes: Data

    /// The same answer once more, for a reader of its own.
    var response: ClientResponse { ClientResponse(head, body: ResponseBody(bytes)) }

    var isSuccess: Bool { (200..<300).contains(head.status) }

    /// - Throws: `.invalidResponse` for a success larger than `limit`.
    init(_ response: ClientResponse, to method: HTTPMethod, upTo limit: Int) async throws {
        head = response.head
        guard (200..<300).contains(head.status) else {
            bytes = try await response.body.prefix(upTo: Self.problemLimit)
            return
        }
        // HEAD announces a length it does not send.
        if method != .head, let announced = head.headers[FieldName.contentLength].flatMap(Int.init), announced > limit {
            throw NetworkError(.invalidResponse("the body of \(announced) bytes is larger than \(limit)"))
        }
        bytes = try await response.body.collect(upTo: limit)
    }

    /// Why this is no success.
    func failure(in context: CallContext, now: Date) -> NetworkError {
        let problem = Problem(status: head.status, headers: head.headers, bytes: bytes)
        return NetworkError(
            NetworkError.Kind(
                status: head.status, problem: problem?.mapTexts(context.secrets.scrub),
                retryAfter: RetryAfter.wait(asked: head.headers, now: now)))
    }

    /// The value in the body. Off the caller's actor: a large list takes tens of milliseconds to decode.
    @concurrent
    func decode<Value: Decodable & Sendable>(_ type: Value.Type) async throws -> Value {
        if Value.self == NoContent.self, let nothing = NoContent() as? Value { return nothing }
        let mediaType = MediaType.essence(head.headers[FieldName.contentType] ?? MediaType.json)
        guard MediaType.isJSON(mediaType) else {
            throw NetworkError(
                .invalidResponse("expected JSON, got '\(mediaType)'; check the server's URL, or a proxy in between"))
        }
        do { return try WireJSON.decode(type, from: bytes) } catch { throw NetworkError(.decoding(error)) }
    }
}

extension CollectedResponse {
    /// Sends `request` through `next` and reads the response to its end.
    ///
    /// - Parameter limit: Bytes of a success.
    /// - Throws: `.unexpected` when an interceptor neither answers nor fails.
    static func collect(_ request: ClientRequest, upTo limit: Int, _ next: Next) async throws -> CollectedResponse {
        let collected = Mutex<CollectedResponse?>(nil)
        try await next(request) { [method = request.method] response in
            let whole = try await CollectedResponse(response, to: method, upTo: limit)
            collected.withLock { $0 = whole }
        }
        guard let whole = collected.withLock({ $0 }) else {
            throw NetworkError(.unexpected("the pipeline ended without an answer"))
        }
        return whole
    }
}
