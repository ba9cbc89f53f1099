package import FoundationEssentials

extension Problem {
    /// Reads what a response says about its failure: an RFC 9457 document, an OAuth error (RFC 6749, section 5.2), or any
    /// JSON object, in one of the forms that `FailureDocument` knows; `nil` for anything else.
    ///
    /// Lenient on purpose: the status has already decided, and a damaged explanation must not hide it.
    package init?(status: Int, headers: HeaderFields, bytes: Data) {
        guard let document = FailureDocument(status: status, headers: headers, bytes: bytes) else { return nil }
        self.init(
            type: document.text("type") ?? "about:blank", title: document.text("title") ?? Self.title(of: status),
            status: status, detail: document.detail, code: document.code, requestId: document.requestId,
            errors: document.fieldErrors, error: document.text("error"),
            errorDescription: document.text("error_description"))
    }

    /// What the document says for people: the detail, else its title, else its code; `nil` when it says nothing.
    var words: String? { detail ?? (title == Self.title(of: status) ? error : title) }

    /// The title of a document without one.
    private static func title(of status: Int) -> String { "Status \(status)" }

    /// Every text passed through `change`.
    package func mapTexts(_ change: (String) -> String) -> Problem {
        Problem(
            type: change(type), title: change(title), status: status, detail: detail.map(change),
            code: code.map(change),
            requestId: requestId.map(change),
            errors: errors?.map { FieldError(field: change($0.field), message: change($0.message)) },
            error: error.map(change), errorDescription: errorDescription.map(change))
    }
}
