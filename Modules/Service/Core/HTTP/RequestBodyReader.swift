import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore
import StrataConcurrency
import StrataDomain

/// Reads a whole request body, bounded in size and at the minimum rate or faster.
struct RequestBodyReader: Sendable {
    let limits: ServiceLimits
    let timers: TimerQueue

    /// The body; empty when there is none.
    ///
    /// - Throws: 400 for a malformed or wrong `Content-Length`, 413 above `limit` bytes, 408 below the minimum rate.
    func read(_ call: ServiceCall, limit: Int) async throws -> Data {
        let declared = try declaredLength(call.request.headers)
        if let declared, declared > limit { throw ServiceError.bodyTooLarge(limit) }
        if declared == 0 || (declared == nil && call.request.headers[.transferEncoding] == nil) {
            return Data()
        }
        call.notes.body = .interrupted
        call.acceptBody()
        let received = Progress()
        let body = call.request.body
        let grace = timers.now + limits.bodyGrace
        let rate = max(1, limits.minimumBodyRate)
        let bytes = try await withTimeLimit(
            until: grace, on: timers, extendedTo: { grace + .seconds(received.value / rate) }
        ) { try await Self.collect(body, limit: limit, progress: received) }
        guard let bytes else { throw Self.tooSlow }
        if let declared, declared != bytes.count {
            throw ServiceError.malformed("The body ended after \(bytes.count) of \(declared) bytes.")
        }
        call.notes.body = .consumed
        return bytes
    }

    func declaredLength(_ headers: HTTPFields) throws -> Int? {
        let sent = headers[values: .contentLength]
        guard let text = sent.first else { return nil }
        guard sent.allSatisfy({ $0 == text }), (1...18).contains(text.utf8.count),
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let length = Int(text)
        else { throw ServiceError.malformed("Content-Length must be one decimal number.") }
        return length
    }

    private static func collect(_ body: RequestBody, limit: Int, progress: Progress) async throws -> Data {
        var bytes = Data()
        for try await buffer in body {
            guard bytes.count + buffer.readableBytes <= limit else { throw ServiceError.bodyTooLarge(limit) }
            bytes.append(contentsOf: buffer.readableBytesView)
            progress.value = bytes.count
        }
        return bytes
    }

    static let tooSlow = ServiceError(
        408, code: "body_too_slow", title: "Body too slow", detail: "The body arrived too slowly; send it again.",
        headers: ["Connection": "close"])
}

/// Bytes received.
private final class Progress: Sendable {
    private let count = Mutex(0)
    var value: Int {
        get { count.withLock { $0 } }
        set { count.withLock { $0 = newValue } }
    }
}
