import FoundationEssentials
import StrataDomain

/// A successful response as bytes, which an `Idempotency-Key` repeats exactly.
struct EncodedResponse: Sendable, Hashable {
    var status: Int
    var headers: HeaderFields
    var body: Data
}

/// Encodes the value that a handler returned as status, header fields and bytes.
struct ResponseEncoder<E: RoutedEndpoint>: Sendable where E.Response: Encodable {
    private let successStatus: Int
    private let cacheControl: String?
    private let isContent = E.Response.self is any ContentResponse.Type
    private let isPage = E.Response.self is any LinkedPage.Type
    private let isTagged = E.Response.self is any EntityTagged.Type
    private let isTaggedByContent = E.route.method == .get && E.Response.self is any ContentTagged.Type
    /// `nil` for a response that an encoder writes.
    private let write: (@Sendable (E.Response, inout JSONText) throws -> Void)?

    init(_ type: E.Type, _ access: Access) {
        write =
            (E.Response.self as? any PreparedJSON.Type).map { Self.prepared($0) }
            ?? (E.Response.self as? any JSONWritable.Type).map { Self.written($0) }
        successStatus = E.successStatus
        cacheControl = Self.cacheControl(access)
    }

    private static func prepared<Prepared: PreparedJSON>(
        _ type: Prepared.Type
    ) -> @Sendable (E.Response, inout JSONText) throws -> Void {
        let write = Prepared.writer
        return { response, text in if let response = response as? Prepared { try write(response, &text) } }
    }

    private static func written<Writable: JSONWritable>(
        _ type: Writable.Type
    ) -> @Sendable (E.Response, inout JSONText) throws -> Void {
        { response, text in try (response as? Writable)?.write(to: &text) }
    }

    /// The caller's private cache may store reads and must revalidate them; shared caches may store only public reads.
    private static func cacheControl(_ access: Access) -> String? {
        if E.Response.self is any NoStore.Type { return "no-store" }
        guard E.route.method == .get else { return nil }
        return access == .anyone ? "no-cache" : "private, no-cache"
    }

    func encode(_ response: E.Response, to target: RequestTarget) throws -> EncodedResponse {
        let tag = isTagged ? (response as? any EntityTagged)?.entityTag : nil
        var headers = headers(tag, next: isPage ? (response as? any LinkedPage)?.nextPageQuery : nil, target)
        guard !(response is NoContent) else {
            return EncodedResponse(status: successStatus, headers: headers, body: Data())
        }
        if isContent, let response = response as? any ContentResponse {
            let content = response.content
            headers["Content-Type"] = type(of: response).mediaType
            for field in content.headers { headers[field.name] = nil }
            for field in content.headers { headers.add(field.name, field.value) }
            return EncodedResponse(status: content.status ?? successStatus, headers: headers, body: content.bytes)
        }
        return encoded(try body(response), headers)
    }

    func encode(_ json: EncodedJSON<E.Response>, to target: RequestTarget) -> EncodedResponse {
        encoded(
            Data(json.text.bytes), headers(json.tag, next: json.nextCursor.map { ["cursor": $0] }, target))
    }

    private func encoded(_ body: Data, _ headers: HeaderFields) -> EncodedResponse {
        var headers = headers
        if isTaggedByContent { headers["ETag"] = EntityTag(ofContent: body).text }
        headers["Content-Type"] = MediaType.json
        return EncodedResponse(status: successStatus, headers: headers, body: body)
    }

    private func headers(_ tag: EntityTag?, next: [String: String]?, _ target: RequestTarget) -> HeaderFields {
        var headers = HeaderFields()
        headers["Cache-Control"] = cacheControl
        headers["ETag"] = tag?.text
        // RFC 8288, section 3. Path and query are enough, since the client knows the origin.
        headers["Link"] = next.map { "<\(target.replacing($0))>; rel=\"next\"" }
        return headers
    }

    private func body(_ response: E.Response) throws -> Data {
        guard let write else { return try WireJSON.encode(response) }
        var text = JSONText()
        try write(response, &text)
        return Data(text.bytes)
    }
}
