import HTTPTypes
import StrataDomain

extension HTTPField.Name {
    // Every literal is a token, for which the initialiser does not return nil.
    static let xRequestId = known("X-Request-Id")
    static let xDeadline = known("X-Request-Deadline-Ms")
    static let xAPIKey = known("X-API-Key")
    static let idempotencyKey = known("Idempotency-Key")
    static let traceparent = known("traceparent")
    static let host = known("Host")
    static let forwarded = known("Forwarded")
    static let xForwardedFor = known("X-Forwarded-For")
    static let xForwardedProto = known("X-Forwarded-Proto")
    static let xForwardedHost = known("X-Forwarded-Host")
    static let rateLimit = known("RateLimit")
    static let rateLimitPolicy = known("RateLimit-Policy")
    static let reprDigest = known("Repr-Digest")
    static let uploadComplete = known(UploadFields.complete)
    static let nextPage = known("Link")

    private static func known(_ name: String) -> HTTPField.Name {
        guard let field = HTTPField.Name(name) else { preconditionFailure("'\(name)' is not a field name") }
        return field
    }
}

extension HTTPFields {
    init(_ fields: HeaderFields) {
        self.init()
        for field in fields {
            guard let name = HTTPField.Name(field.name) else { continue }
            append(HTTPField(name: name, value: field.value))
        }
    }
}

extension HeaderFields {
    init(_ fields: HTTPFields) {
        self.init()
        for field in fields { add(field.name.rawName, field.value) }
    }
}
