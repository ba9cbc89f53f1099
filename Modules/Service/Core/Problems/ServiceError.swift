public import StrataDomain

/// A failure of a request, sent as a problem document (RFC 9457).
public struct ServiceError: Error, Sendable {
    /// What the caller is told.
    public var problem: Problem
    /// Fields of the response beside those of every problem.
    public var headers: HeaderFields

    /// A refusal with this document.
    public init(_ problem: Problem, headers: HeaderFields = [:]) {
        self.problem = problem
        self.headers = headers
    }

    /// A refusal with this status, code and sentence.
    public init(
        _ status: Int, code: String, title: String, detail: String, fields: [FieldError]? = nil,
        headers: HeaderFields = [:]
    ) {
        self.init(
            Problem(title: title, status: status, detail: detail, code: code, errors: fields), headers: headers)
    }

    /// 404: there is no `what` with the id, or the caller may not see it.
    public static func notFound(_ what: String, _ id: String) -> ServiceError {
        ServiceError(404, code: "not_found", title: "Not found", detail: "There is no \(what) '\(id)'.")
    }

    /// 422 with a message for each field.
    public static func validation(_ fields: [FieldError]) -> ServiceError {
        ServiceError(
            422, code: "validation_failed", title: "Rejected input",
            detail: "Correct the named fields and send again.", fields: fields)
    }

    /// 409 with this code.
    public static func conflict(code: String, _ detail: String) -> ServiceError {
        ServiceError(409, code: code, title: "Conflict", detail: detail)
    }

    /// 412 (RFC 9110, section 13.1.1): the row has another version than `If-Match` names.
    public static func preconditionFailed(_ what: String, _ id: String, current: EntityTag) -> ServiceError {
        ServiceError(
            412, code: "version_mismatch", title: "Changed since you read it",
            detail: "The \(what) '\(id)' was changed after you read it; read it again and repeat the edit.",
            headers: ["ETag": current.text])
    }

    /// 428 (RFC 6585, section 3): the request needs `If-Match`.
    public static func preconditionRequired() -> ServiceError {
        ServiceError(
            428, code: "if_match_required", title: "Precondition required",
            detail: "Send If-Match with the ETag you read.")
    }

    /// 401: the caller has no valid credential.
    public static func unauthorized(code: String = "unauthorized", _ detail: String) -> ServiceError {
        ServiceError(
            401, code: code, title: "Not authenticated", detail: detail, headers: ["WWW-Authenticate": "Bearer"])
    }

    /// 403: the caller may not do this.
    public static func forbidden(_ detail: String) -> ServiceError {
        ServiceError(403, code: "forbidden", title: "Not allowed", detail: detail)
    }
}
