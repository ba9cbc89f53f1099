import FoundationEssentials
import StrataDomain
import StrataHTTP

/// The record of one finished call.
struct CallOutcome: Sendable {
    var result: Result<ResponseHead, NetworkError>
    /// `nil` if the call did not start.
    var requestId: String?
    /// Method and path, without query.
    var request: String
    var attempts: [NetworkError.Attempt]
    /// Number of retries; hedged requests and replays after a refresh do not count.
    var retries: Int
    var duration: Duration
    /// Empty unless tracing is on.
    var trace: [TraceEntry]
    /// What the HTTP cache did; `nil` without a cache or a response.
    var cache: CacheReport?

    var head: ResponseHead? { try? result.get() }
    var failure: NetworkError? { if case .failure(let error) = result { error } else { nil } }

    /// Whether the response has a status below 400.
    var isSuccess: Bool { exitStatus == .done }
    /// Whether the response is a success (2xx): an unfollowed redirect is not, nor is 304.
    var hasContent: Bool { head.map { (200..<300).contains($0.status) } ?? false }

    /// The status, or the code of the failure.
    var label: String {
        switch result {
        case .success(let head): String(head.status)
        case .failure(let error): error.kind.code
        }
    }

    var exitStatus: ExitStatus {
        switch result {
        case .success(let head):
            ExitStatus(httpStatus: head.status, asksToWait: RetryAfter.wait(asked: head.headers, now: Date()) != nil)
        case .failure(let error): ExitStatus(error)
        }
    }

    // MARK: - JSON

    /// What every call has in JSON.
    private func members(isTraced: Bool) -> JSONDocument {
        [
            "request_id": requestId, "status": head?.status,
            "error": failure.map {
                ["code": $0.kind.code, "message": $0.description, "attempts": $0.attempts.count] as JSONDocument
            },
            "attempts": attempts.map {
                [
                    "number": $0.number, "outcome": $0.outcome, "decision": $0.decision,
                    "duration_ms": $0.duration.milliseconds,
                ] as JSONDocument
            },
            "duration_ms": duration.milliseconds, "trace": isTraced ? trace.map(\.document) : nil,
        ]
    }

    /// One of many calls, with its number from 1.
    func document(number: Int, isTraced: Bool) -> JSONDocument { members(isTraced: isTraced).adding(["n": number]) }

    /// The only call of a command.
    ///
    /// - Parameters:
    ///   - written: The path of the file with the body, and its size in bytes; `nil` for a body in the document.
    ///   - origin: The state of the origin after the call.
    func document(
        method: HTTPMethod, url: String, body: Data, written: (path: String, size: Int)?, isTraced: Bool,
        origin: OriginState?
    ) -> JSONDocument {
        let text = String(validating: body, as: UTF8.self)
        return members(isTraced: isTraced).adding([
            "method": method.rawValue, "url": url,
            "headers": head?.headers.map { ["name": $0.name, "value": $0.value] },
            "body": head == nil || written != nil ? nil : text,
            "body_base64": head == nil || text != nil ? nil : body.base64EncodedString(),
            "output": written.map { ["path": $0.path, "size": $0.size] as JSONDocument },
            "cache": cache?.document, "origin": origin,
        ])
    }
}
