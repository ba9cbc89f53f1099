extension DomainError {
    /// Turns a network error of a request about entities into an error with the next step.
    ///
    /// - Parameters:
    ///   - id: The entity; `nil` for a list and for a create.
    ///   - command: The command that lists and shows the entities: `tides notes`.
    ///   - isWrite: Whether the request was a write.
    public init<Content: Entity>(
        _ error: NetworkError, about id: Identifier<Content>?, of type: Content.Type = Content.self, command: String,
        isWrite: Bool = false
    ) {
        let noun = Content.noun
        let look = id.map { "'\(command) show \($0) --refresh'" } ?? "'\(command) list --refresh'"
        let said = error.problem?.detail
        let unknown = "Whether the change arrived is not known; \(look) tells."
        switch error.kind {
        case .unauthorized:
            let program = command.prefix { $0 != " " }
            self = .unauthorized("Not logged in; run '\(program) login', then try again.")
        case .forbidden: self = .forbidden(said ?? "This account is not allowed to do that; ask an administrator.")
        case .notFound:
            guard let id else {
                self = .notFound("The server has no \(Content.plural); see whether its address is right.")
                return
            }
            self = .notFound("There is no \(noun) '\(id)'; '\(command) list --refresh' lists those there are.")
        case .conflict(let problem):
            guard let id, problem?.code == "version_mismatch" else {
                self = .conflict(said ?? error.description)
                return
            }
            self = .conflict(
                "The \(noun) '\(id)' has changed since you read it; \(look) shows it, then try again.")
        case .validation(let problem):
            self = .validation(said ?? "The server rejected the \(noun).", fields: problem?.errors ?? [])
        case .offline, .circuitOpen:
            self = .unavailable(error.sentence(isWrite ? "Nothing was changed." : ""))
        case .connectionLost where isWrite: self = .unavailable(error.sentence(unknown))
        case .timeout where isWrite: self = .busy(error.sentence(unknown))
        default: self.init(error)
        }
    }
}
