import FoundationEssentials
import Logging
import StrataDomain

/// Writes one line for each attempt, and at debug level the redacted beginnings of both bodies. Innermost: what it sees is
/// what goes over the wire.
struct LogInterceptor: Step {
    let logger: Logger
    let redaction: Redaction
    /// Bytes of a body that are looked at. What is shown is shorter.
    private let window = 16 * 1024

    struct Entry: Sendable {
        fileprivate let request: ClientRequest
        fileprivate let start: Duration
        fileprivate let seen = Locked(Seen())
    }

    /// - Returns: `nil` where nothing is to be written.
    func begin(_ request: inout ClientRequest) -> Entry? {
        guard logger.logLevel <= .info else { return nil }
        let entry = Entry(request: request, start: request.context.deadline.time.now)
        if logger.logLevel <= .debug { logRequest(request) }
        return entry
    }

    func pass(_ response: inout ClientResponse, _ entry: inout Entry?) -> Bool {
        guard let seen = entry?.seen else { return true }
        seen.withLock { [head = response.head] in $0.head = head }
        if logger.logLevel <= .debug {
            response.body = response.body.tapped { [window] chunk in seen.withLock { $0.add(chunk, upTo: window) } }
        }
        return true
    }

    func end(_ entry: inout Entry?, _ error: (any Error)?) throws -> ClientRequest? {
        if let entry {
            let request = entry.request
            let duration = request.context.deadline.time.now - entry.start
            logOutcome(
                request, entry.seen.value, outcome: error.map { outcome(of: $0, request, after: duration) },
                duration: duration)
        }
        if let error { throw error }
        return nil
    }

    /// In here a timeout looks like any cancellation; the time that was announced to the backend tells them apart.
    private func outcome(of error: any Error, _ request: ClientRequest, after duration: Duration) -> String {
        let outcome = request.context.outcome(of: error)
        let announced = request.headers[FieldName.requestDeadline].flatMap { Int64($0) } ?? .max
        return outcome == "cancelled" && duration.milliseconds >= announced ? "timeout" : outcome
    }

    /// What passed by.
    fileprivate struct Seen: Sendable {
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
            metadata["body"] = .string(request.context.scrub(preview))
        }
        logger.debug("sending \(request.context.scrub(request.summary))", metadata: metadata)
    }

    private func logOutcome(_ request: ClientRequest, _ seen: Seen, outcome: String?, duration: Duration) {
        var metadata = base(request)
        metadata["duration_ms"] = "\(duration.milliseconds)"
        if let status = seen.head?.status { metadata["status"] = "\(status)" }
        if let outcome { metadata["outcome"] = "\(outcome)" }
        if logger.logLevel <= .debug, let head = seen.head {
            metadata["headers"] = .string(shown(head.headers, of: request))
            let preview = redaction.preview(
                seen.body, size: seen.size, contentType: head.headers[FieldName.contentType])
            metadata["body"] = .string(request.context.scrub(preview))
        }
        let result = outcome ?? seen.head.map { String($0.status) } ?? "no answer"
        logger.info("\(request.context.scrub(request.summary)) → \(result) in \(duration.text)", metadata: metadata)
    }

    private func base(_ request: ClientRequest) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "attempt": "\(request.context.attemptNumber)", "request_id": "\(request.context.requestId)",
            "origin": "\(request.url.origin)", "trace_id": "\(request.context.trace.traceId)",
        ]
        if let query = request.url.query {
            metadata["query"] = .string(request.context.scrub(redaction.query(query)))
        }
        return metadata
    }

    private func shown(_ fields: HeaderFields, of request: ClientRequest) -> String {
        let text = redaction.headers(fields).map { "\($0.name): \($0.value)" }.joined(separator: ", ")
        return request.context.scrub(text)
    }
}
