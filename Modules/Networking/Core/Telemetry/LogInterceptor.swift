import FoundationEssentials
import Logging
import StrataDomain

/// Writes what each attempt sends and gets, at debug level, with the redacted beginnings of both bodies. Only decompression
/// stands further in, so it sees the fields that go over the wire.
struct LogInterceptor: Interceptor {
    let logger: Logger
    let redaction: Redaction
    /// Bytes of a body that are looked at. What is shown is shorter.
    private let window = 16 * 1024

    func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
        logRequest(request)
        let (start, seen) = (request.context.deadline.time.now, Locked(Seen()))
        var failure: (any Error)?
        do {
            try await next(request) { response in
                var response = response
                seen.withLock { [head = response.head] in $0.head = head }
                response.body = response.body.tapped { chunk in seen.withLock { $0.add(chunk, upTo: window) } }
                try await receive(response)
            }
        } catch { failure = error }
        let duration = request.context.deadline.time.now - start
        let outcome = failure.map { self.outcome(of: $0, request) }
        logOutcome(request, seen.value, outcome: outcome, duration: duration)
        if let failure { throw failure }
    }

    /// A timeout arrives here as a cancellation; it is one if the time of the attempt has passed.
    private func outcome(of error: any Error, _ request: ClientRequest) -> String {
        let outcome = request.context.outcome(of: error)
        return outcome == "cancelled" && request.bodyLimit?.hasPassed == true ? "timeout" : outcome
    }

    /// What arrived of the response.
    private struct Seen: Sendable {
        var head: ResponseHead?
        var body = Data()
        var size = 0

        mutating func add(_ chunk: Data, upTo window: Int) {
            size += chunk.count
            body.append(chunk.prefix(max(0, window - body.count)))
        }
    }

    private func logRequest(_ request: ClientRequest) {
        var metadata = base(request)
        metadata["headers"] = .string(shown(request.headers, of: request))
        if let body = request.body {
            let bytes = body.bytes?.prefix(window) ?? Data()
            let preview = redaction.preview(
                bytes, size: body.length, contentType: request.headers[FieldName.contentType])
            metadata["body"] = .string(request.context.secrets.scrub(preview))
        }
        logger.debug("sending \(request.context.secrets.scrub(request.summary))", metadata: metadata)
    }

    private func logOutcome(_ request: ClientRequest, _ seen: Seen, outcome: String?, duration: Duration) {
        var metadata = base(request)
        metadata["duration_ms"] = "\(duration.milliseconds)"
        if let status = seen.head?.status { metadata["status"] = "\(status)" }
        if let outcome { metadata["outcome"] = "\(outcome)" }
        if let head = seen.head {
            metadata["headers"] = .string(shown(head.headers, of: request))
            let preview = redaction.preview(
                seen.body, size: seen.size, contentType: head.headers[FieldName.contentType])
            metadata["body"] = .string(request.context.secrets.scrub(preview))
        }
        let result = outcome ?? seen.head.map { String($0.status) } ?? "no answer"
        logger.debug(
            "\(request.context.secrets.scrub(request.summary)) → \(result) in \(duration.text)", metadata: metadata)
    }

    private func base(_ request: ClientRequest) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "attempt": "\(request.context.history.attemptNumber)", "request_id": "\(request.context.requestId)",
            "origin": "\(request.url.origin)", "trace_id": "\(request.context.trace.traceId)",
        ]
        if let query = request.url.query {
            metadata["query"] = .string(request.context.secrets.scrub(redaction.query(query)))
        }
        return metadata
    }

    private func shown(_ fields: HeaderFields, of request: ClientRequest) -> String {
        let text = redaction.headers(fields).map { "\($0.name): \($0.value)" }.joined(separator: ", ")
        return request.context.secrets.scrub(text)
    }
}
