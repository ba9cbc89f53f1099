import StrataDomain

extension ServiceError {
    static let unexpected = ServiceError(
        500, code: "internal", title: "Internal error",
        detail: "The service failed, not your request; report the request id.")

    static let headersTooLarge = ServiceError(
        431, code: "headers_too_large", title: "Header fields too large",
        detail: "The header fields are too large; send fewer or shorter ones.")

    /// RFC 9110, section 9.1.
    static let unknownMethod = ServiceError(
        501, code: "not_implemented", title: "Not implemented",
        detail: "The method of the request is unknown; use GET, HEAD, POST, PUT, PATCH or DELETE.")

    static func bodyTooLarge(_ limit: Int) -> ServiceError {
        ServiceError(
            413, code: "body_too_large", title: "Body too large",
            detail: "This endpoint reads bodies of up to \(limit) bytes.")
    }

    static func malformed(code: String = "malformed_request", _ detail: String) -> ServiceError {
        ServiceError(400, code: code, title: "Malformed request", detail: detail)
    }

    static func unavailable(code: String = "unavailable", _ detail: String, seconds: Int) -> ServiceError {
        ServiceError(
            503, code: code, title: "Not available now", detail: "\(detail) Try again in \(seconds) s.",
            headers: ["Retry-After": "\(seconds)"])
    }

    static func storageFull(_ detail: String) -> ServiceError {
        ServiceError(507, code: "storage_full", title: "No room left", detail: detail)
    }
}
