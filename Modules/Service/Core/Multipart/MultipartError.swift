import StrataDomain

extension ServiceError {
    /// 400 for a body that is no form, naming the part of it that is wrong: `boundary`, `header`, a field's name.
    static func multipart(_ field: String, _ message: String) -> ServiceError {
        ServiceError(
            400, code: "malformed_multipart", title: "Unreadable form",
            detail: "The body is no multipart/form-data that this service reads: \(field) \(message).",
            fields: [FieldError(field: field, message: message)])
    }
}
