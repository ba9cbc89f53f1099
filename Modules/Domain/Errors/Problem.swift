/// A problem document (RFC 9457), as this project's servers send it.
public struct Problem: Codable, Sendable, Hashable {
    /// A URI that names the kind of problem; `about:blank` when the status is enough.
    public var type: String
    /// What is wrong, in a few words that are the same for each case.
    public var title: String
    /// The status of the response.
    public var status: Int
    /// What is wrong this time.
    public var detail: String?
    /// Stable, documented, for programs: `version_mismatch`.
    public var code: String?
    /// The id by which the server's log finds the request.
    public var requestId: String?
    /// The fields that were rejected.
    public var errors: [FieldError]?
    /// The OAuth error code, only in responses of the token endpoint (RFC 6749, section 5.2).
    public var error: String?
    /// The OAuth error in words, only in responses of the token endpoint (RFC 6749, section 5.2).
    public var errorDescription: String?

    /// A problem document (RFC 9457); `nil` for what it does not say.
    public init(
        type: String = "about:blank", title: String, status: Int, detail: String? = nil, code: String? = nil,
        requestId: String? = nil, errors: [FieldError]? = nil, error: String? = nil, errorDescription: String? = nil
    ) {
        self.type = type
        self.title = title
        self.status = status
        self.detail = detail
        self.code = code
        self.requestId = requestId
        self.errors = errors
        self.error = error
        self.errorDescription = errorDescription
    }
}

/// One refused field with the reason.
public struct FieldError: Codable, Sendable, Hashable {
    /// Name on the wire, keys joined by dots.
    public var field: String
    /// What is wrong with the field.
    public var message: String

    /// A field that was rejected.
    public init(field: String, message: String) {
        self.field = field
        self.message = message
    }
}
