import HTTPTypes
import Hummingbird
import StrataDomain

/// Refuses a body with a transfer or content coding that the service does not decode.
struct CodingMiddleware: ServiceMiddleware {
    func admit(_ call: ServiceCall) throws {
        let headers = call.request.headers
        // RFC 9112, section 6.1.
        guard Self.names(headers[values: .transferEncoding], none: "chunked") else {
            throw ServiceError(
                501, code: "not_implemented", title: "Not implemented",
                detail: "The only supported transfer coding is 'chunked'.", headers: ["Connection": "close"])
        }
        // RFC 9110, section 15.5.16.
        let hasBody = headers[.transferEncoding] != nil || (headers[.contentLength] ?? "0") != "0"
        guard !hasBody || Self.names(headers[values: .contentEncoding], none: "identity") else {
            throw ServiceError(
                415, code: "unsupported_media_type", title: "Unsupported content coding",
                detail:
                    "Content-Encoding is '\(headers[.contentEncoding]?.prefix(40) ?? "")'; send the content without a coding.",
                headers: ["Accept-Encoding": "identity"])
        }
    }

    /// Whether the fields name no coding, or only `none`.
    private static func names(_ fields: [String], none: String) -> Bool {
        fields.isEmpty || fields.count == 1 && (fields[0].isEmpty || fields[0].lowercased() == none)
    }
}
