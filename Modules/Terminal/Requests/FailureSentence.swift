import StrataDomain
import StrataSystem

/// Why a call failed, and the next step.
struct FailureSentence {
    let text: String

    /// A response with a status of 400 or more.
    init(_ outcome: CallOutcome, _ head: ResponseHead) {
        if outcome.cache?.isUnsatisfied == true {
            text =
                "Nothing that may be served is stored for '\(outcome.request)', and the server was not asked; leave out "
                + "--offline and --cache only-if-cached to ask it."
            return
        }
        var text = "\(outcome.request) was answered with \(head.status)"
        if outcome.attempts.count > 1 { text += " after \(outcome.attempts.count) attempts" }
        if head.status >= 500 || head.status == 429, let last = outcome.attempts.last, last.decision != "done" {
            text += ": \(last.decision)"
        }
        self.text = "\(text)." + Self.nextStep(head) + Self.keyHint(outcome)
    }

    /// No response.
    init(_ outcome: CallOutcome, _ error: NetworkError) {
        let step =
            switch error.kind {
            case .timeout: "--timeout and --attempt-timeout give it more time."
            case .invalidResponse(let why) where why.contains("larger than") && !error.isFromRefresh:
                "-o FILE takes a body of any size."
            default: Self.nextStep(error)
            }
        let request = error.request.isEmpty ? "" : error.request + ": "
        text = request + error.sentence(step) + Self.keyHint(outcome)
    }

    /// An incomplete download.
    ///
    /// - Parameters:
    ///   - kept: The bytes from which the next run resumes.
    ///   - hadArrived: Whether a part was received.
    init(_ error: NetworkError, kept: DownloadBeginning?, hadArrived: Bool) {
        let step =
            switch error.kind {
            case .status(..<400, _):
                "It is no content, so nothing was written. Check the address, and leave out conditions."
            case .timeout: "--timeout gives it more time."
            case .invalidResponse(let why) where why.contains("were allowed"): "--max-bytes allows more."
            default: Self.nextStep(error)
            }
        // The file of the part may be in use by another process before the first byte.
        if let kept, hadArrived || !Self.isStorage(error) {
            text =
                error.sentence(step)
                + " \(kept.bytes) bytes are kept in '\(kept.path)'; the same command goes on there."
        } else if hadArrived, Self.keeps(error) {
            text = error.sentence(step) + " Nothing is kept, as the server names no version (ETag) to go on with."
        } else {
            text = error.sentence(step)
        }
    }

    private static func isStorage(_ error: NetworkError) -> Bool {
        if case .storage = error.kind { true } else { false }
    }

    /// Whether the part received before such a failure is still usable.
    private static func keeps(_ error: NetworkError) -> Bool {
        switch error.kind {
        case .timeout, .offline, .connectionLost, .cancelled, .storage, .server, .rateLimited, .circuitOpen: true
        default: false
        }
    }

    private static func nextStep(_ error: NetworkError) -> String {
        switch error.kind {
        case .offline, .connectionLost: "Check the address and the network."
        case .tls(let why) where why.contains("authority"):
            "\(ProgramName.variable("CA_FILE")) names a file of further authorities."
        case .unauthorized: "Log in with '\(ProgramName.current) login'."
        case .notFound: "Check the address."
        case .server, .rateLimited:
            error.retryAfter.map { "It asks to come back in \($0.components.seconds) s." } ?? "Try again later."
        default: ""
        }
    }

    private static func nextStep(_ head: ResponseHead) -> String {
        switch head.status {
        case 401: " Log in with '\(ProgramName.current) login', or give a credential with -H."
        case 407: " The proxy wants a credential."
        case 412: " Fetch it again for its newest ETag."
        case 428: " Give the version that is changed with -H 'If-Match: ETAG'."
        case 429, 503: head.headers["Retry-After"].map { " It asks to come back later: Retry-After: \($0)." } ?? ""
        default: ""
        }
    }

    /// The next step for a write that was not retried because it could take effect twice.
    private static func keyHint(_ outcome: CallOutcome) -> String {
        guard let last = outcome.attempts.last, last.decision.contains("without idempotency key") else { return "" }
        return " Where the server honours keys, --idempotency-key auto lets it be repeated."
    }
}
