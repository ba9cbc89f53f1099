import FoundationEssentials
import StrataDomain

/// A response that was read to its end, or a failure read as far as it explains itself.
struct CollectedResponse: Sendable {
    let head: ResponseHead
    let bytes: Data

    /// The response with an unread body.
    var response: ClientResponse { ClientResponse(head, body: ResponseBody(bytes)) }

    var isSuccess: Bool { (200..<300).contains(head.status) }

    /// - Throws: `.invalidResponse` for a success larger than `limit`.
    init(_ response: ClientResponse, to method: HTTPMethod, upTo limit: Int) async throws {
        head = response.head
        guard (200..<300).contains(head.status) else {
            bytes = try await response.body.prefix(upTo: FailedResponse.bodyLimit)
            return
        }
        // HEAD announces a length it does not send.
        if method != .head, let announced = head.headers[FieldName.contentLength].flatMap(Int.init), announced > limit {
            throw NetworkError(.invalidResponse("the body of \(announced) bytes is larger than \(limit)"))
        }
        bytes = try await response.body.collect(upTo: limit)
    }

    /// The error of a status other than 2xx.
    func failure(now: Date, in form: JSONForm = .snakeCase) -> NetworkError {
        NetworkError(FailedResponse(head, bytes: bytes, receivedAt: now, json: form))
    }

    /// The value in the body; `nil` of an optional type for a success without content, such as a 204. Off the caller's actor: a
    /// large list takes tens of milliseconds to decode.
    @concurrent
    func decode<Value: Decodable & Sendable>(_ type: Value.Type, in form: JSONForm) async throws -> Value {
        if Value.self == NoContent.self, let nothing = NoContent() as? Value { return nothing }
        // Asked by type first: `nil` would cast to any optional.
        if let type = Value.self as? any StatusDecodable.Type,
            let found = type.value(ofStatus: head.status, isEmpty: bytes.isEmpty), let value = found as? Value
        {
            return value
        }
        let mediaType = MediaType.essence(head.headers[FieldName.contentType] ?? MediaType.json)
        let isAbsent = bytes.isEmpty && Value.self is any ExpressibleByNilLiteral.Type
        let isText = !form.isWire && ["text/plain", "text/json", "text/javascript"].contains(mediaType)
        guard MediaType.isJSON(mediaType) || isText || isAbsent else { throw notJSON }
        do { return try form.decode(type, from: isAbsent ? Data("null".utf8) : bytes) } catch {
            throw isText && error.kind == .notJSON ? notJSON : NetworkError(.decoding(error))
        }
    }

    private var notJSON: NetworkError {
        let type = MediaType.written(head.headers[FieldName.contentType] ?? "")
        var error = NetworkError(
            .invalidResponse(
                "expected JSON, got '\(type)'. A proxy or the login page of a network may have answered instead of "
                    + "the server; open a page in a browser, or check the server's address"))
        error.isForeign = true
        return error
    }
}
