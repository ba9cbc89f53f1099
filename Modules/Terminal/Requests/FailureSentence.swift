import StrataDomain

/// Why a call is no success, and what to do about it.
struct FailureSentence {
    let text: String

    /// An answer with a status of 400 or more.
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

    /// No answer.
    init(_ outcome: CallOutcome, _ error: NetworkError) {
        let step =
            switch error.kind {
            case .timeout: ". --timeout and --attempt-timeout give it more time."
            case .offline: ". Check the address and the network."
            case .invalidResponse(let why) where why.contains("larger than"): ". -o FILE takes a body of any size."
            case .unauthorized: ". Log in with '\(ProgramName.current) login'."
            default: ""
            }
        let hint = Self.keyHint(outcome)
        text = error.description + (step.isEmpty && !hint.isEmpty ? "." : step) + hint
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

    /// What to do when a write was not repeated because it could take effect twice, as the retry policy words it.
    private static func keyHint(_ outcome: CallOutcome) -> String {
        guard let last = outcome.attempts.last, last.decision.contains("without idempotency key") else { return "" }
        return " Where the server honours keys, --idempotency-key auto lets it be repeated."
    }
}
