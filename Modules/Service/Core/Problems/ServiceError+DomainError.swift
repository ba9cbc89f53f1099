public import StrataDomain

extension ServiceError {
    /// The failure of a rule that client and backend share. Rejected input is 422 with its fields.
    public init(_ error: DomainError) {
        self =
            switch error {
            case .validation(let sentence, let fields):
                ServiceError(
                    422, code: "validation_failed", title: "Rejected input", detail: sentence,
                    fields: fields.isEmpty ? nil : fields)
            case .unauthorized(let text): .unauthorized(text)
            case .forbidden(let text): .forbidden(text)
            case .notFound(let text): ServiceError(404, code: "not_found", title: "Not found", detail: text)
            case .conflict(let text): .conflict(code: "conflict", text)
            case .unavailable, .busy, .cancelled:
                ServiceError(503, code: "unavailable", title: "Not available now", detail: "Try again later.")
            case .storage, .unexpected:
                ServiceError(500, code: "internal", title: "Internal error", detail: "This is a bug of the service.")
            }
    }

    /// The result of `check`; its `DomainError` becomes a `ServiceError`.
    public static func accepting<Value>(_ check: () throws(DomainError) -> Value) throws -> Value {
        do { return try check() } catch { throw ServiceError(error) }
    }
}
