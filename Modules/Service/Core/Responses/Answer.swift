import FoundationEssentials
import StrataDomain

/// A success on its way to the client: what is sent, and what an `Idempotency-Key` repeats byte for byte.
struct Answer: Sendable, Hashable {
    var status: Int
    var headers: HeaderFields
    var body: Data
}

/// The request line of a call, as links of its answer need it.
struct RequestTarget: Sendable, Hashable {
    /// Percent-encoded and normalised.
    var path: String
    var query: QueryItems

    /// `path` with `items` in place of those of the same name.
    func replacing(_ items: [String: String]) -> String {
        var merged = QueryItems()
        for item in query.items where items[item.name] == nil { merged.add(item.name, item.value) }
        for (name, value) in items.sorted(by: { $0.key < $1.key }) { merged.add(name, value) }
        return merged.items.isEmpty ? path : "\(path)?\(merged.encoded)"
    }
}

/// Turns the value a handler returned into status, header fields and bytes.
struct AnswerEncoding: Sendable {
    let successStatus: Int
    let method: StrataDomain.HTTPMethod
    let access: Access

    func answer(_ response: some Encodable, to target: RequestTarget) throws -> Answer {
        var headers = HeaderFields()
        headers["Cache-Control"] = cacheControl(response)
        if let tagged = response as? any EntityTagged { headers["ETag"] = tagged.entityTag.text }
        if let next = (response as? any LinkedPage)?.nextPageQuery {
            // RFC 8288, section 3; the path and query of a link are enough for a client that knows our origin.
            headers["Link"] = "<\(target.replacing(next))>; rel=\"next\""
        }
        guard !(response is NoContent) else { return Answer(status: successStatus, headers: headers, body: Data()) }
        headers["Content-Type"] = MediaType.json
        return Answer(status: successStatus, headers: headers, body: try WireJSON.encode(response))
    }

    /// Reads may be kept by the caller's own cache, which asks again each time; nobody else's cache keeps them.
    private func cacheControl(_ response: some Encodable) -> String? {
        if response is any NoStore { return "no-store" }
        guard method == .get else { return nil }
        return access == .anyone ? "no-cache" : "private, no-cache"
    }
}
