import NIOHTTP1
import StrataDomain

/// The responses of the document. Each failure with its codes is a component that operations share.
struct OpenAPIResponses {
    private(set) var components: [String: JSONValue] = [:]
    private let problemSchema: JSONSchema

    init(problem: JSONSchema) { problemSchema = problem }

    /// A response that is no problem document; each header field is a component.
    static func success(_ text: String, _ headers: [String], _ content: [String: JSONSchema]) -> JSONValue {
        var response: [String: JSONValue] = [
            "description": .string(text), "headers": OpenAPIHeader.references(headers),
        ]
        if !content.isEmpty {
            response["content"] = .object(content.mapValues { ["schema": .object($0.keywords)] })
        }
        return .object(response)
    }

    /// A reference to the problem document of a status with one of `codes`.
    mutating func problem(_ status: Int, _ codes: [String]) -> JSONValue {
        let name = "\(status)-" + codes.joined(separator: "-")
        if components[name] == nil { components[name] = .object(members(status, codes)) }
        return ["$ref": "#/components/responses/\(name)"]
    }

    /// The response of a status with a problem document of one of `codes`, or with `content`.
    func problem(_ status: Int, _ codes: [String], or content: [String: JSONSchema], _ text: String) -> JSONValue {
        guard var other = Self.success(text, ["X-Request-Id"], content).object, !codes.isEmpty else {
            return Self.success(text, ["X-Request-Id"], content)
        }
        let problem = members(status, codes)
        for key in ["content", "headers"] {
            let own = other[key]?.object ?? [:]
            other[key] = .object(own.merging(problem[key]?.object ?? [:]) { own, _ in own })
        }
        other["description"] = .string("\(text) \(problem["description"]?.string ?? "")")
        return .object(other)
    }

    private func members(_ status: Int, _ codes: [String]) -> [String: JSONValue] {
        let codeRule = JSONSchema.object(["code": .choice(codes)], required: ["code"])
        let reason = HTTPResponseStatus(statusCode: status).reasonPhrase
        return [
            "description": .string("\(reason): \(codes.joined(separator: ", "))."),
            "headers": OpenAPIHeader.references(Self.headers(status)),
            "content": [
                MediaType.problem: [
                    "schema": ["allOf": [.object(problemSchema.keywords), .object(codeRule.keywords)]]
                ]
            ],
        ]
    }

    private static func headers(_ status: Int) -> [String] {
        let own =
            switch status {
            case 401, 403: ["WWW-Authenticate"]
            case 412: ["ETag"]
            case 429, 503: ["Retry-After"]
            default: [String]()
            }
        return ["X-Request-Id"] + own
    }
}

/// The response header fields that the document describes.
enum OpenAPIHeader {
    static func names(isTagged: Bool, isCounted: Bool) -> [String] {
        ["X-Request-Id"] + (isTagged ? ["ETag"] : []) + (isCounted ? ["RateLimit", "RateLimit-Policy"] : [])
    }

    static func references(_ names: [String]) -> JSONValue {
        .object(Dictionary(names.map { ($0, ["$ref": "#/components/headers/\($0)"]) }) { first, _ in first })
    }

    /// No field is required: a proxy may drop it.
    static let components: [String: JSONValue] = texts.mapValues { text in
        ["description": .string(text), "schema": ["type": "string"]]
    }

    private static let texts = [
        "X-Request-Id": "Names the request in logs and problem documents.",
        "ETag": "The version of the resource, for If-Match and If-None-Match (RFC 9110, section 8.8.3).",
        "Link": "The next page with `rel=\"next\"` (RFC 8288); absent on the last page.",
        "Retry-After": "Seconds to wait before the next attempt (RFC 9110, section 10.2.3).",
        "RateLimit": "Remaining requests `r` and seconds to the reset `t` (draft-ietf-httpapi-ratelimit-headers-10).",
        "RateLimit-Policy": "Allowed requests `q` in a window of `w` seconds (the same draft).",
        "Idempotency-Replayed": "`true` for a stored response to a repeated Idempotency-Key.",
        "WWW-Authenticate": "The wanted credentials and the reason (RFC 6750, section 3).",
        "Accept-Ranges": "`bytes`: parts of the content can be requested.",
        "Content-Range": "The part, and the size of the whole (RFC 9110, section 14.4).",
        "Content-Disposition": "`attachment` with the file name.",
        "Repr-Digest": "SHA-256 of the whole content (RFC 9530, section 3).",
    ]
}
