import FoundationEssentials
import StrataDomain

/// A successful response as bytes, which an `Idempotency-Key` repeats exactly.
struct EncodedResponse: Sendable, Hashable {
    var status: Int
    var headers: HeaderFields
    var body: Data
}

/// Encodes the value that a handler returned as status, header fields and bytes.
struct ResponseEncoder<E: RoutedEndpoint>: Sendable {
    private let successStatus: Int
    private let method: StrataDomain.HTTPMethod
    private let access: Access
    private let isTagged = E.Response.self is any EntityTagged.Type
    private let isPage = E.Response.self is any LinkedPage.Type
    private let isContent = E.Response.self is any ContentResponse.Type
    /// `nil` for a response that an encoder writes.
    private let write: (@Sendable (E.Response, inout JSONText) throws -> Void)?

    init(_ type: E.Type, _ access: Access) {
        write = (E.Response.self as? any JSONWritable.Type).map { Self.writer($0) }
        successStatus = E.successStatus
        method = E.route.method
        self.access = access
    }

    private static func writer<Writable: JSONWritable>(
        _ type: Writable.Type
    ) -> @Sendable (E.Response, inout JSONText) throws -> Void {
        let write = Writable.writer
        return { response, text in if let response = response as? Writable { try write(response, &text) } }
    }

    func encode(_ response: E.Response, to target: RequestTarget) throws -> EncodedResponse {
        var headers = HeaderFields()
        headers["Cache-Control"] = cacheControl(response)
        if isTagged, let tagged = response as? any EntityTagged { headers["ETag"] = tagged.entityTag.text }
        if isPage, let next = (response as? any LinkedPage)?.nextPageQuery {
            // RFC 8288, section 3. Path and query are enough, since the client knows the origin.
            headers["Link"] = "<\(target.replacing(next))>; rel=\"next\""
        }
        guard !(response is NoContent) else {
            return EncodedResponse(status: successStatus, headers: headers, body: Data())
        }
        if isContent, let response = response as? any ContentResponse {
            let content = response.content
            headers["Content-Type"] = type(of: response).mediaType
            for field in content.headers { headers[field.name] = field.value }
            return EncodedResponse(status: content.status ?? successStatus, headers: headers, body: content.bytes)
        }
        headers["Content-Type"] = MediaType.json
        return EncodedResponse(status: successStatus, headers: headers, body: try body(response))
    }

    private func body(_ response: E.Response) throws -> Data {
        guard let write else { return try WireJSON.encode(response) }
        var text = JSONText()
        try write(response, &text)
        return Data(text.bytes)
    }

    /// The caller's private cache may store reads and must revalidate them; shared caches may store only public reads.
    private func cacheControl(_ response: E.Response) -> String? {
        if response is any NoStore { return "no-store" }
        guard method == .get else { return nil }
        return access == .anyone ? "no-cache" : "private, no-cache"
    }
}
