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
            let failure: JSONDocument = ["code": code, "message": SafeText.shortened(message), "fields": fields]
            if let text = try? safeJSON(["error": failure] as JSONDocument) { return errors.write(text + "\n") }
        }
        for line in [message.asSentence] + fields.map({ "\($0.field): \($0.message)" }) {
            printError(Text("error: ", .red) + Text(SafeText.message(line)))
        }
    }
}
