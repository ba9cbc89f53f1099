import StrataDomain

extension ServiceError {
    /// 400 for a malformed form.
    ///
    /// - Parameter field: The wrong part: `boundary`, `header`, or the name of a field.
    static func multipart(_ field: String, _ message: String) -> ServiceError {
        ServiceError(
            400, code: "malformed_multipart", title: "Unreadable form",
            detail: "The body is not valid multipart/form-data: \(field) \(message).",
            fields: [FieldError(field: field, message: message)])
    }
}
