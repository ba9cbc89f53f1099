public import StrataDomain

/// One endpoint with its handler, its type erased.
public struct MountedEndpoint: Sendable {
    public let route: Route
    public let access: Access
    public let successStatus: Int
    /// Largest body in bytes; `nil` takes the service's limit.
    let bodyLimit: Int?
    /// Whether an `Idempotency-Key` makes the answer repeatable.
    let keepsAnswers: Bool
    /// Whether its clients expect errors of RFC 6749.
    let speaksOAuth: Bool
    let work: Work

    /// What turns a request into an answer.
    enum Work: Sendable {
        case answer(@Sendable (EndpointParts, RequestScope, Execution) async throws -> Answer)
        case upload(UploadWork)
        case file(@Sendable (EndpointParts, RequestScope, any Store) async throws -> FileAnswer)
        case stream(@Sendable (EndpointParts, RequestScope) async throws -> StreamAnswer)
    }

    enum Body<E: RoutedEndpoint>: Sendable {
        case handle(@Sendable (E, RequestScope) async throws -> E.Response)
        case read(@Sendable (E, RequestScope, any StoreReader) throws -> E.Response)
        case write(@Sendable (E, RequestScope, any StoreTransaction) throws -> E.Response)
    }

    init<E: RoutedEndpoint>(_ type: E.Type, _ access: Access, _ body: Body<E>) {
        route = E.route
        self.access = access
        successStatus = E.successStatus
        bodyLimit = (E.self as? any BodyLimited.Type)?.bodyLimit
        speaksOAuth = E.self is any OAuthEndpoint.Type
        // Answers that hold secrets are never written down.
        let keepsAnswers = body.isWrite && !(E.Response.self is any NoStore.Type)
        self.keepsAnswers = keepsAnswers
        let encoding = AnswerEncoding(successStatus: E.successStatus, method: E.route.method, access: access)
        work = .answer { parts, scope, execution in
            let endpoint = try E(parts)
            switch body {
            case .handle(let body):
                return try encoding.answer(try await body(endpoint, scope), to: execution.target)
            case .read(let body):
                let response = try await execution.store.read { reader in try body(endpoint, scope, reader) }
                return try encoding.answer(response, to: execution.target)
            case .write(let body):
                let claim = keepsAnswers ? execution.claim : nil
                return try await execution.store.write { transaction in
                    if let claim, let kept = try IdempotencyLog.take(claim, at: scope.now, in: transaction) {
                        return kept
                    }
                    let answer = try encoding.answer(body(endpoint, scope, transaction), to: execution.target)
                    if let claim { try IdempotencyLog.keep(answer, for: claim, in: transaction) }
                    return answer
                }
            }
        }
    }

    init<H: UploadHandler>(upload handler: H, _ access: Access) {
        route = H.Call.route
        self.access = access
        successStatus = H.Call.successStatus
        bodyLimit = nil
        keepsAnswers = true
        speaksOAuth = false
        work = .upload(
            UploadWork(
                handler, AnswerEncoding(successStatus: successStatus, method: route.method, access: access)))
    }

    init<E: RoutedEndpoint>(
        file type: E.Type, _ access: Access,
        _ body: @escaping @Sendable (E, RequestScope, any StoreReader) throws -> FileAnswer
    ) {
        route = E.route
        self.access = access
        successStatus = 200
        bodyLimit = nil
        keepsAnswers = false
        speaksOAuth = false
        work = .file { parts, scope, store in
            let endpoint = try E(parts)
            return try await store.read { reader in try body(endpoint, scope, reader) }
        }
    }

    init<E: RoutedEndpoint>(
        stream type: E.Type, _ access: Access,
        _ body: @escaping @Sendable (E, RequestScope) async throws -> StreamAnswer
    ) {
        route = E.route
        self.access = access
        successStatus = 200
        bodyLimit = nil
        keepsAnswers = false
        speaksOAuth = false
        work = .stream { parts, scope in try await body(try E(parts), scope) }
    }
}

extension MountedEndpoint.Body {
    fileprivate var isWrite: Bool { if case .write = self { true } else { false } }
}

/// What an endpoint runs on, for one call.
struct Execution: Sendable {
    let store: any Store
    let target: RequestTarget
    /// Who may see the stored answer of which request; `nil` without `Idempotency-Key`.
    let claim: IdempotencyClaim?
}
