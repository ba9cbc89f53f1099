import FoundationEssentials
import StrataDomain

/// The head of a response from the cache (RFC 9111, section 4).
struct CachedHead: Sendable, Hashable {
    var status: Int
    var reason: String
    var fields: HeaderFields
    /// The bytes of the stored body that are sent; `nil` for all.
    var slice: Range<Int>?
    var hasBody = true

    /// Fields of a 304 (RFC 9110, section 15.4.5): the validators and the fields that caches need.
    private static let ofNotModified: Set<String> = [
        "age", "cache-control", "content-location", "date", "etag", "expires", "last-modified", "vary",
    ]

    static func whole(_ response: StoredResponse, for request: CacheRequest, age: TimeInterval) -> CachedHead {
        var fields = aged(response, age)
        if Conditions.isNotModified(request.fields, response) {
            fields = fields.filter {
                // Fields of the application may stay, except those that describe a body.
                let name = $0.name.lowercased()
                return ofNotModified.contains(name) || !name.hasPrefix("content-")
            }
            return CachedHead(status: 304, reason: "Not Modified", fields: fields, hasBody: false)
        }
        return CachedHead(
            status: response.status, reason: response.reason, fields: fields, hasBody: request.method != "HEAD")
    }

    static func part(_ response: StoredResponse, _ place: ContentRange, age: TimeInterval) -> CachedHead {
        var fields = aged(response, age)
        fields["Content-Range"] = place.text
        fields["Content-Length"] = String(place.range.count)
        let start = response.range?.lowerBound ?? 0
        return CachedHead(
            status: 206, reason: "Partial Content", fields: fields,
            slice: (place.range.lowerBound - start)..<(place.range.upperBound - start))
    }

    static func notSatisfiable(_ response: StoredResponse) -> CachedHead {
        CachedHead(
            status: 416, reason: "Range Not Satisfiable",
            fields: ["Content-Range": ContentRange.unsatisfied(total: response.length), "Content-Length": "0"],
            hasBody: false)
    }

    /// The response to `only-if-cached` without a stored response (RFC 9111, section 5.2.1.7).
    static let gatewayTimeout = CachedHead(
        status: 504, reason: "Gateway Timeout", fields: ["Content-Length": "0"], hasBody: false)

    private static func aged(_ response: StoredResponse, _ age: TimeInterval) -> HeaderFields {
        var fields = response.fields
        fields["Age"] = String(min(CacheControl.longest, age.wholeSeconds))
        return fields
    }
}
