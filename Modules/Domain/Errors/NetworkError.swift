public import FoundationEssentials

/// A failed call: the kind of failure, the request, and the failure of each attempt. It holds no secret.
public struct NetworkError: Error, Sendable {
    public enum Kind: Sendable, Equatable {
        /// The request could not be built or may not be sent.
        case invalidRequest(String)
        /// No connection was made; nothing was sent.
        case offline(String)
        /// The connection was lost after the request may have been sent.
        case connectionLost(String)
        /// An attempt or the total deadline ran out.
        case timeout
        case tls(String)
        /// 401 also after one refresh, or no session.
        case unauthorized(Problem?)
        case forbidden(Problem?)
        case notFound(Problem?)
        /// 409 or 412.
        case conflict(Problem?)
        /// 400 or 422, with the fields in the problem document.
        case validation(Problem?)
        /// 429, with the wait that the server asks for.
        case rateLimited(retryAfter: Duration?)
        /// Any other status below 500.
        case status(Int, Problem?)
        /// 500 to 599.
        case server(Int, Problem?)
        /// Not sent: the origin failed too often; its circuit is open until `until`.
        case circuitOpen(origin: String, until: Date)
        case decoding(WireJSON.Failure)
        /// A response that is no valid HTTP, or larger than allowed.
        case invalidResponse(String)
        /// The disk cannot be written or read, or too many files are open.
        case storage(String)
        case cancelled
        case unexpected(String)
    }

    /// The failure of one attempt, and the decision after it.
    public struct Attempt: Sendable, Hashable {
        public var number: Int
        public var outcome: String
        public var decision: String
        public var duration: Duration

        public init(number: Int, outcome: String, decision: String, duration: Duration) {
            self.number = number
            self.outcome = outcome
            self.decision = decision
            self.duration = duration
        }
    }

    public var kind: Kind
    /// Method and path, without query: `GET /v1/notes`.
    public var request: String
    public var attempts: [Attempt]
    /// The wait that the server asked for with its refusal; `nil` without one.
    public var retryAfter: Duration?
    /// Whether something else seems to have answered, such as a captive portal: a success of another media type. Default: no.
    public package(set) var isForeign = false
    /// Whether a refresh of the tokens failed, and not the call itself: the call has no response then. Default: no.
    public internal(set) var isFromRefresh = false

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

    /// The problem document of the server; `nil` without one.
    public var problem: Problem? {
        switch kind {
        case .unauthorized(let problem), .forbidden(let problem), .notFound(let problem), .conflict(let problem),
            .validation(let problem), .status(_, let problem), .server(_, let problem):
            problem
        default: nil
        }
    }
}

extension NetworkError: LocalizedError {
    /// The reason as a sentence, also `localizedDescription`: without method and path, which a user did not write.
    public var errorDescription: String? { sentence("") }
}

extension NetworkError: CustomStringConvertible {
    public var description: String { request.isEmpty ? reason : "\(request): \(reason)" }

    /// Why the call failed and after how many attempts, without the request.
    public var reason: String {
        let detail = problem.flatMap { $0.detail ?? $0.title }
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
            case .rateLimited(let wait):
                "too many requests" + (wait.map { ", retry in \($0.components.seconds) s" } ?? "")
            case .status(let status, _): detail ?? "status \(status)"
            case .server(let status, _): detail.map { "\($0) (status \(status))" } ?? "server error \(status)"
            case .circuitOpen(let origin, let until):
                "\(origin) failed too often and is left alone until \(RFC3339.string(from: until))"
            case .decoding(let failure): "the response could not be read: \(failure)"
            case .invalidResponse(let why):
                (isFromRefresh ? "the session was not renewed: " : "the response is not usable: ") + why
            case .storage(let why): why
            case .cancelled: "cancelled"
            case .unexpected(let why): "unexpected: \(why)"
            }
        return text + tail
    }
}
