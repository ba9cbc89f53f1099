import FoundationEssentials
import StrataDomain

/// A successful response as bytes, which an `Idempotency-Key` repeats exactly.
struct EncodedResponse: Sendable, Hashable {
    var status: Int
    var headers: HeaderFields
    var body: Data
}

/// Encodes the value that a handler returned as status, header fields and bytes.
struct ResponseEncoder: Sendable {
    private let successStatus: Int
    private let method: StrataDomain.HTTPMethod
    private let access: Access

    init<E: RoutedEndpoint>(_ type: E.Type, _ access: Access) {
        successStatus = E.successStatus
        method = E.route.method
        self.access = access
    }

    func encode(_ response: some Encodable, to target: RequestTarget) throws -> EncodedResponse {
        var headers = HeaderFields()
        headers["Cache-Control"] = cacheControl(response)
        if let tagged = response as? any EntityTagged { headers["ETag"] = tagged.entityTag.text }
        if let next = (response as? any LinkedPage)?.nextPageQuery {
            // RFC 8288, section 3. Path and query are enough, since the client knows the origin.
            headers["Link"] = "<\(target.replacing(next))>; rel=\"next\""
        }
        guard !(response is NoContent) else {
            return EncodedResponse(status: successStatus, headers: headers, body: Data())
        }
        if let content = (response as? any ContentResponse)?.content {
            headers["Content-Type"] = (response as? any ContentResponse).map { type(of: $0).mediaType }
            for field in content.headers { headers[field.name] = field.value }
            return EncodedResponse(status: content.status ?? successStatus, headers: headers, body: content.bytes)
        }
        headers["Content-Type"] = MediaType.json
        return EncodedResponse(status: successStatus, headers: headers, body: try WireJSON.encode(response))
    }

    /// The caller's private cache may store reads and must revalidate them; shared caches may store only public reads.
    private func cacheControl(_ response: some Encodable) -> String? {
        if response is any NoStore { return "no-store" }
        guard method == .get else { return nil }
        return access == .anyone ? "no-cache" : "private, no-cache"
    }
}
