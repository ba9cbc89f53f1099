import FoundationEssentials
import StrataDomain

/// One call as JSON; keys without a value are omitted.
struct RequestDocument: Encodable {
    struct Header: Encodable {
        var name: String
        var value: String
    }

    /// The file of a body that is not in the document.
    struct Output: Encodable {
        var path: String
        /// Bytes.
        var size: Int
    }

    var requestId: String?
    var method: String
    var url: String
    var status: Int?
    var headers: [Header]?
    var body: String?
    var bodyBase64: String?
    var output: Output?
    var error: CallDocument.Failure?
    var attempts: [CallDocument.Attempt]
    var durationMs: Double
    var trace: [TraceDocument]?
    var cache: CacheReportDocument?
    var origin: OriginState?

    init(
        _ outcome: CallOutcome, method: HTTPMethod, url: String, body: Data, output: Output?, isTraced: Bool,
        origin: OriginState?
    ) {
        requestId = outcome.requestId
        self.method = method.rawValue
        self.url = url
        if case .success(let head) = outcome.result {
            status = head.status
            headers = head.headers.map { Header(name: $0.name, value: $0.value) }
            if let text = String(validating: body, as: UTF8.self) {
                self.body = output == nil ? text : nil
            } else {
                bodyBase64 = body.base64EncodedString()
            }
        }
        self.output = output
        error = outcome.failure.map(CallDocument.Failure.init)
        attempts = outcome.attempts.map(CallDocument.Attempt.init)
        durationMs = outcome.duration.milliseconds
        trace = isTraced ? outcome.trace.map(TraceDocument.init) : nil
        cache = outcome.cache.map(CacheReportDocument.init)
        self.origin = origin
    }
}

/// One of many calls as JSON.
struct CallDocument: Encodable {
    struct Attempt: Encodable {
        var number: Int
        var outcome: String
        var decision: String
        var durationMs: Double

        init(_ attempt: NetworkError.Attempt) {
            number = attempt.number
            outcome = attempt.outcome
            decision = attempt.decision
            durationMs = attempt.duration.milliseconds
        }
    }

    struct Failure: Encodable {
        var code: String
        var message: String
        /// Number of calls.
        var attempts: Int

        init(_ error: NetworkError) {
            code = error.kind.code
            message = error.description
            attempts = error.attempts.count
        }
    }

    var n: Int
    var requestId: String?
    var status: Int?
    var error: Failure?
    var attempts: [Attempt]
    var durationMs: Double
    var trace: [TraceDocument]?

    init(_ number: Int, _ outcome: CallOutcome, isTraced: Bool) {
        n = number
        requestId = outcome.requestId
        status = outcome.status
        error = outcome.failure.map(Failure.init)
        attempts = outcome.attempts.map(Attempt.init)
        durationMs = outcome.duration.milliseconds
        trace = isTraced ? outcome.trace.map(TraceDocument.init) : nil
    }
}
