import FoundationEssentials
import StrataDomain

extension Problem {
    /// Reads what a response says about its failure: an RFC 9457 document, an OAuth error (RFC 6749, section 5.2), or any
    /// JSON object with some of their members; `nil` for anything else.
    ///
    /// Lenient on purpose: the status has already decided, and a damaged explanation must not hide it.
    init?(status: Int, headers: HeaderFields, bytes: Data) {
        guard MediaType.isJSON(headers[FieldName.contentType] ?? ""),
            let members = (try? WireJSON.decode(JSONValue.self, from: bytes))?.object
        else { return nil }
        let errors = try? members["errors"]?.decode([FieldError].self)
        self.init(
            type: members["type"]?.string ?? "about:blank", title: members["title"]?.string ?? "Status \(status)",
            status: status, detail: members["detail"]?.string ?? members["error_description"]?.string,
            code: members["code"]?.string,
            requestId: members["request_id"]?.string ?? headers[FieldName.requestId], errors: errors,
            error: members["error"]?.string, errorDescription: members["error_description"]?.string)
    }

    /// Every text passed through `change`.
    func mapTexts(_ change: (String) -> String) -> Problem {
        Problem(
            type: change(type), title: change(title), status: status, detail: detail.map(change),
            code: code.map(change),
            requestId: requestId.map(change),
            errors: errors?.map { FieldError(field: change($0.field), message: change($0.message)) },
            error: error.map(change), errorDescription: errorDescription.map(change))
    }
}

extension NetworkError.Kind {
    /// The same, with every text of its problem document changed.
    func mapProblem(_ change: (String) -> String) -> NetworkError.Kind {
        switch self {
        case .unauthorized(let problem): .unauthorized(problem?.mapTexts(change))
        case .forbidden(let problem): .forbidden(problem?.mapTexts(change))
        case .notFound(let problem): .notFound(problem?.mapTexts(change))
        case .conflict(let problem): .conflict(problem?.mapTexts(change))
        case .validation(let problem): .validation(problem?.mapTexts(change))
        case .status(let status, let problem): .status(status, problem?.mapTexts(change))
        case .server(let status, let problem): .server(status, problem?.mapTexts(change))
        default: self
        }
    }
}
