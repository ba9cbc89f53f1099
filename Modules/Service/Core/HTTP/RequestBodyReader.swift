import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore
import StrataConcurrency
import StrataDomain

/// Reads request bodies, bounded in size and at the minimum rate or faster.
struct RequestBodyReader: Sendable {
    let limits: ServiceLimits
    let timers: TimerQueue

    /// The most bytes that the body can have; `nil` when there is none.
    ///
    /// - Throws: 400 for a malformed `Content-Length`, 413 for one above `limit` bytes.
    func expectedBytes(_ call: ServiceCall, limit: Int) throws -> Int? {
        guard let declared = try declaredLength(call.request.headers) else {
            return call.request.headers[.transferEncoding] == nil ? nil : limit
        }
        guard declared <= limit else { throw ServiceError.bodyTooLarge(limit) }
        return declared == 0 ? nil : declared
    }

    /// The whole body of a request that has one.
    ///
    /// - Throws: 400 for a malformed or wrong `Content-Length`, 413 above `limit` bytes, 408 below the minimum rate.
    func read(_ call: ServiceCall, limit: Int, _ progress: BodyProgress = BodyProgress()) async throws -> Data {
        let declared = try declaredLength(call.request.headers)
        call.acceptBody()
        return try await requiringRate(of: progress, executor: call.executor) {
            let stream = RequestBodyStream(call, declared: declared, limit: limit, progress: progress)
            var bytes = Data(capacity: declared ?? 0)
            while let buffer = try await stream.next() { bytes.append(contentsOf: buffer.readableBytesView) }
            return bytes
        }
    }

    /// The result of `body`, which runs while the request body keeps its rate: in every `ServiceLimits.bodyGrace` it brings the
    /// bytes that `ServiceLimits.minimumBodyRate` demands. A span in which the service did not read, because its disk is slow,
    /// passes.
    ///
    /// - Throws: 408 below the rate. `body` is then cancelled and awaited, and its result is dropped.
    func requiringRate<Result: Sendable>(
        of progress: BodyProgress, executor: (any TaskExecutor)? = nil,
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let (timers, grace) = (timers, limits.bodyGrace)
        let needed = max(1, Int(grace / .seconds(1) * Double(limits.minimumBodyRate)))
        let result = try await withTimeLimit(
            until: timers.now + grace, on: timers,
            extendedTo: { progress.hasAdvanced(by: needed) ? timers.now + grace : nil }, executor: executor, body)
        guard let result else { throw Self.tooSlow }
        return result
    }

    func declaredLength(_ headers: HTTPFields) throws -> Int? {
        let sent = headers[values: .contentLength]
        guard let text = sent.first else { return nil }
        guard sent.allSatisfy({ $0 == text }), text.utf8.count <= 18, let length = text.decimal() else {
            throw ServiceError.malformed("Content-Length must be one decimal number.")
        }
        return length
    }

    static let tooSlow = ServiceError(
        408, code: "body_too_slow", title: "Body too slow", detail: "The body arrived too slowly; send it again.",
        headers: ["Connection": "close"])
}
