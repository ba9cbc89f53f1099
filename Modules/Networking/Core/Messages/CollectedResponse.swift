import FoundationEssentials
import StrataDomain

/// A response that was read to its end, or a failure read as far as it explains itself.
struct CollectedResponse: Sendable {
    /// Bytes of a problem document that are read.
    static let problemLimit = 64 * 1024

    let head: ResponseHead
    let bytes: Data

    /// The response with an unread body.
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

    /// The error of a status other than 2xx.
    func failure(now: Date) -> NetworkError {
        let problem = Problem(status: head.status, headers: head.headers, bytes: bytes)
        let wait = RetryAfter.wait(asked: head.headers, now: now)
        var error = NetworkError(NetworkError.Kind(status: head.status, problem: problem, retryAfter: wait))
        error.retryAfter = wait
        return error
    }

    /// The value in the body. Off the caller's actor: a large list takes tens of milliseconds to decode.
    @concurrent
    func decode<Value: Decodable & Sendable>(_ type: Value.Type) async throws -> Value {
        if Value.self == NoContent.self, let nothing = NoContent() as? Value { return nothing }
        let mediaType = MediaType.essence(head.headers[FieldName.contentType] ?? MediaType.json)
        guard MediaType.isJSON(mediaType) else {
            var error = NetworkError(
                .invalidResponse(
                    "expected JSON, got '\(mediaType)'. A proxy or the login page of a network may have answered instead of "
                        + "the server; open a page in a browser, or check the server's address"))
            error.isForeign = true
            throw error
        }
        do { return try WireJSON.decode(type, from: bytes) } catch { throw NetworkError(.decoding(error)) }
    }
}
