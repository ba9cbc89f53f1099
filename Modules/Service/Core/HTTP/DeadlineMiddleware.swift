import HTTPTypes
import Hummingbird
import StrataDomain

/// Stops a call when its caller has given up: `X-Request-Deadline-Ms` is the time the caller still waits. Without it,
/// and above it, the service's own limit holds, except for an upload: that takes as long as its bytes keep coming.
struct DeadlineMiddleware: ServiceMiddleware {
    let limit: Duration
    let clock: any Clock<Duration>
    let isUpload: @Sendable (ServiceCall) -> Bool

    func respond(to call: ServiceCall, next: @escaping Next) async throws -> Response {
        let remaining = try Self.remaining(call.request.headers)
        let limit = isUpload(call) ? remaining : min(limit, remaining ?? limit)
        guard let allowed = limit else { return try await next(call) }
        guard let response = try await within(allowed, on: clock, { try await next(call) }) else {
            throw ServiceError(
                504, code: "deadline_exceeded", title: "Too late",
                detail:
                    "The call was stopped because its deadline passed; its outcome is unknown, ask before repeating.")
        }
        return response
    }

    /// How long the caller still waits; `nil` when it does not say.
    ///
    /// - Throws: 400 for what is no number of milliseconds.
    static func remaining(_ headers: HTTPFields) throws -> Duration? {
        let sent = headers[values: .xDeadline]
        guard let text = sent.first else { return nil }
        guard sent.count == 1, !text.isEmpty, text.utf8.count <= 18,
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let milliseconds = Int64(text)
        else {
            throw EndpointError(
                .malformed, in: .header, key: "X-Request-Deadline-Ms", expected: "a number of milliseconds, sent once")
        }
        return .milliseconds(min(milliseconds, 86_400_000))
    }
}
