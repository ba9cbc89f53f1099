import StrataDomain

extension Console {
    /// Prints why the command failed and returns the exit status.
    ///
    /// As text `error: …` and one line per field; with `--json` one object, `{"error": {"code", "message", "fields"}}`.
    public func fail(_ error: any Error) -> ExitStatus {
        if let failure = error as? CommandFailure {
            if let message = failure.message { report(failure.status.code, message, []) }
            return failure.status
        }
        let error = DomainError(error)
        if case .validation(let text, let fields) = error {
            report(error.code, text, fields)
        } else {
            report(error.code, error.description, [])
        }
        return ExitStatus(error)
    }

    private func report(_ code: String, _ message: String, _ fields: [FieldError]) {
        if isJSON {
            let message = SafeText.shortened(message)
            let document = FailureDocument(error: .init(code: code, message: message, fields: fields))
            if let bytes = try? WireJSON.encode(document) {
                errors.write(SafeText.escapedJSON(String(decoding: bytes, as: UTF8.self)) + "\n")
                return
            }
        }
        let lines = [message.asSentence] + fields.map { "\($0.field): \($0.message)" }
        for line in lines {
            errors.write((Text("error: ", .red) + Text(SafeText.message(line))).rendered(colored: errorsColored) + "\n")
        }
    }
}

private struct FailureDocument: Encodable {
    struct Content: Encodable {
        var code: String
        var message: String
        var fields: [FieldError]
    }

    var error: Content
}

extension DomainError {
    /// The stable code of the failure in JSON.
    var code: String {
        switch self {
        case .unauthorized: "unauthorized"
        case .forbidden: "forbidden"
        case .notFound: "not_found"
        case .validation: "validation"
        case .conflict: "conflict"
        case .unavailable: "unavailable"
        case .busy: "busy"
        case .storage: "storage"
        case .cancelled: "cancelled"
        case .unexpected: "unexpected"
        }
    }
}

extension ExitStatus {
    /// The code of a failure that only has a status.
    var code: String {
        switch self {
        case .done: "done"
        case .usage: "usage"
        case .rejected: "validation"
        case .notFound: "not_found"
        case .unavailable: "unavailable"
        case .software: "unexpected"
        case .cannotWrite: "storage"
        case .tryLater: "busy"
        case .noPermission: "forbidden"
        case .interrupted: "cancelled"
        }
    }
}
