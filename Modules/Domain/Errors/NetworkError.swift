public import FoundationEssentials

/// A failed call: the kind of failure, the request, the response of the server, and the failure of each attempt.
///
/// Its texts hold no secret of the call. `response` and `underlying` give code the real values.
public struct NetworkError: Error, Sendable {
    /// What went wrong.
    public enum Kind: Sendable, Equatable {
        /// The request could not be built or may not be sent.
        case invalidRequest(String)
        /// No connection was made; nothing was sent.
        case offline(String)
        /// The connection was lost after the request may have been sent.
        case connectionLost(String)
        /// An attempt or the total deadline ran out.
        case timeout
        /// The connection is not secure; the text says why.
        case tls(String)
        /// 401 also after one refresh, or no session.
        case unauthorized(Problem?)
        /// The server refuses the call to this user (403).
        case forbidden(Problem?)
        /// The server has no such resource (404).
        case notFound(Problem?)
        /// 409 or 412.
        case conflict(Problem?)
        /// 400 or 422, with the fields in the problem document.
        case validation(Problem?)
        /// 429, or 403 of a server that says that a rate is used up, with the wait that it asks for.
        case rateLimited(retryAfter: Duration?)
        /// Any other status below 500.
        case status(Int, Problem?)
        /// 500 to 599.
        case server(Int, Problem?)
        /// Not sent: the origin failed too often; its circuit is open until `until`.
        case circuitOpen(origin: String, until: Date)
        /// The body is not what the endpoint promises.
        case decoding(WireJSON.Failure)
        /// A response that is no valid HTTP, or larger than allowed.
        case invalidResponse(String)
        /// The disk cannot be written or read, or too many files are open.
        case storage(String)
        /// The task was cancelled.
        case cancelled
        /// A bug, or an error of another type, which is in `underlying`.
        case unexpected(String)
    }

    /// The failure of one attempt, and the decision after it.
    public struct Attempt: Sendable, Hashable {
        /// The number of the attempt, from 1.
        public var number: Int
        /// How it ended, for people.
        public var outcome: String
        /// What was decided after it, for people.
        public var decision: String
        /// How long it took.
        public var duration: Duration

        /// One attempt of a call, for its history.
        public init(number: Int, outcome: String, decision: String, duration: Duration) {
            self.number = number
            self.outcome = outcome
            self.decision = decision
            self.duration = duration
        }
    }

    /// What went wrong.
    public var kind: Kind
    /// Method and path, without query: `GET /v1/notes`.
    public var request: String
    /// The attempts of the call, in order.
    public var attempts: [Attempt]
    /// The wait that the server asked for with its refusal; `nil` without one.
    public var retryAfter: Duration?
    /// The response of a status other than 2xx, with fields and the first 64 KiB of its body; `nil` when the call failed otherwise.
    public var response: FailedResponse?
    private var thrown: ThrownError?
    /// Whether something else seems to have answered, such as a captive portal: a success of another media type. Default: no.
    public package(set) var isForeign = false
    /// Whether no token was obtained, and not the call itself failed: the call has no response then, and its texts say so first.
    /// Default: no.
    public internal(set) var isFromRefresh = false
    /// The next step for the program that made the call, in `description` only. Default: none.
    package var advice: String?

    /// An error of the call `request`, method and path.
    public init(_ kind: Kind, request: String = "", attempts: [Attempt] = []) {
        self.kind = kind
        self.request = request
        self.attempts = attempts
    }

    /// Whether the same call may succeed later without a change.
    public var isRetryable: Bool {
        switch kind {
        case .offline, .connectionLost, .timeout, .rateLimited, .circuitOpen: true
        case .server(let status, _): status != 501 && status != 505
        case .status(let status, _): status == 408 || status == 425
        default: false
        }
    }

    /// Whether the server has certainly not seen the call.
    public var isUnsent: Bool {
        switch kind {
        case .offline, .circuitOpen, .invalidRequest: true
        default: false
        }
    }

    /// The problem document of the server, or what another form of JSON says; `nil` without one.
    public var problem: Problem? {
        switch kind {
        case .unauthorized(let problem), .forbidden(let problem), .notFound(let problem), .conflict(let problem),
            .validation(let problem), .status(_, let problem), .server(_, let problem):
            problem
        case .rateLimited: response?.problem
        default: nil
        }
    }
}

extension NetworkError {
    /// Any error as a network error: one of this type as it is, a cancellation as `.cancelled`, and any other as `.unexpected` that
    /// keeps it in `underlying`.
    ///
    /// For an implementation of `APIClient` or `RawClient`, whose callers throw errors of their own in closures.
    public init(thrown error: any Error) {
        switch error {
        case let error as NetworkError: self = error
        case is CancellationError: self.init(.cancelled)
        default:
            let thrown = ThrownError(error)
            self.init(.unexpected(thrown.statement ?? "\(type(of: error))"))
            self.thrown = thrown
        }
    }

    /// The error that the caller's own code threw: the closure of a stream or an interceptor; `nil` for any other failure.
    ///
    /// ```swift
    /// catch { if let error = error.underlying as? ImportError { … } }
    /// ```
    ///
    /// Its own text is the text of this error, without the secrets of the call: `errorDescription` of a `LocalizedError`, else the
    /// description of a `CustomStringConvertible`. Of any other error only the type is shown, since its values may be secret.
    /// Logs, metrics and events have neither.
    public var underlying: (any Error)? { thrown?.error }

    /// Whether `.unexpected` holds what `underlying` says of itself.
    fileprivate var hasStatement: Bool { thrown?.statement != nil }
}

extension NetworkError: LocalizedError {
    /// The reason as a sentence with the refused fields, also `localizedDescription`: without method and path, which a user did not
    /// write.
    public var errorDescription: String? { sentence(of: readable(text(withFields: true)), "") }
}

extension NetworkError: CustomStringConvertible {
    public var description: String {
        let reason = text(withFields: true) + (advice.map { "; \($0)" } ?? "")
        return request.isEmpty ? reason : "\(request): \(reason)"
    }

    /// Why the call failed and after how many attempts, without the request and without the refused fields.
    public var reason: String { text(withFields: false) }

    func text(withFields: Bool) -> String {
        let detail = problem?.words ?? response?.detail
        let tail = attempts.count > 1 ? " (after \(attempts.count) attempts)" : ""
        let text =
            switch kind {
            case .invalidRequest(let why): "the request cannot be sent: \(why)"
            case .offline(let why): "no connection: \(why)"
            case .connectionLost(let why): "the connection was lost: \(why)"
            case .timeout: "timed out"
            case .tls(let why): "no secure connection: \(why)"
            case .unauthorized: detail ?? "not logged in"
            case .forbidden: detail ?? "not allowed"
            case .notFound: detail ?? "not found"
            case .conflict: detail ?? "changed by another request"
            case .validation: detail ?? "the input was rejected"
            case .rateLimited(let wait): Self.limited(detail ?? "too many requests", wait)
            case .status(let status, _): detail ?? "status \(status)"
            case .server(let status, _):
                detail.map { $0.hasPrefix("\(status) ") ? $0 : "\($0) (status \(status))" } ?? "server error \(status)"
            case .circuitOpen(let origin, let until):
                "\(origin) failed too often and is left alone until \(RFC3339.string(from: until))"
            case .decoding(let failure): "the response could not be read: \(failure)"
            case .invalidResponse(let why): isFromRefresh ? why : "the response is not usable: " + why
            case .storage(let why): why
            case .cancelled: "cancelled"
            case .unexpected(let why): hasStatement ? why : "unexpected: \(why)"
            }
        return lead + (withFields ? Self.naming(problem?.errors ?? [], in: text) : text) + tail
    }

    /// Tells a failure of the token endpoint from one of the API. The end of a session speaks for itself.
    private var lead: String {
        guard isFromRefresh else { return "" }
        switch kind {
        case .unauthorized, .cancelled: return ""
        default: return "no token was obtained: "
        }
    }

    /// Most servers say the wait in their own words.
    private static func limited(_ text: String, _ wait: Duration?) -> String {
        guard let seconds = wait?.components.seconds, !text.contains("\(seconds) s") else { return text }
        return "\(text.last == "." ? String(text.dropLast()) : text), retry in \(seconds) s"
    }

    /// `text` with the first three of the fields that it does not explain itself.
    private static func naming(_ fields: [FieldError], in text: String) -> String {
        let isSearched = text.utf8.count < 2000
        let silent = fields.filter { !isSearched || !text.contains($0.message) }
        guard !silent.isEmpty else { return text }
        let named = silent.prefix(3).map { "\($0.field): \($0.message)" }.joined(separator: "; ")
        let more = silent.count > 3 ? "; and \(silent.count - 3) more" : ""
        return "\(text.last == "." ? String(text.dropLast()) : text) (\(named)\(more))"
    }
}
