import HTTPTypes
import Hummingbird
import NIOCore
import StrataConcurrency
import StrataDomain

/// The body of one request as it arrives, bounded in size. The next bytes are read when they are asked for.
final class RequestBodyStream {
    // Sendable proof: the class is not Sendable, so one task at a time calls `next` and awaits its result.
    nonisolated(unsafe) private var iterator: RequestBody.AsyncIterator
    private let notes: CallNotes
    private let declared: Int?
    private let limit: Int
    private let progress: BodyProgress
    private var received = 0

    /// - Parameters:
    ///   - declared: `Content-Length` of the body, if any.
    ///   - limit: Largest body in bytes.
    init(_ call: ServiceCall, declared: Int?, limit: Int, progress: BodyProgress) {
        iterator = call.request.body.makeAsyncIterator()
        notes = call.notes
        self.declared = declared
        self.limit = limit
        self.progress = progress
    }

    /// The next bytes; `nil` at the end of the body.
    ///
    /// - Throws: 413 above the limit; 400 for a body that is shorter than its declared length, and when the sender is gone.
    func next() async throws -> ByteBuffer? {
        notes.body = .interrupted
        progress.isWaiting = true
        defer { progress.isWaiting = false }
        let next: ByteBuffer?
        do { next = try await iterator.next() } catch let error where error is IOError || error is ChannelError {
            throw ServiceError.malformed("The connection was lost after \(received) bytes of the body.")
        }
        guard let bytes = next else {
            if let declared, declared != received {
                throw ServiceError.malformed("The body ended after \(received) of \(declared) bytes.")
            }
            notes.body = .consumed
            return nil
        }
        received += bytes.readableBytes
        progress.count = received
        guard received <= limit else { throw ServiceError.bodyTooLarge(limit) }
        return bytes
    }
}

/// How many bytes of a body have arrived, and whether the service waits for more.
final class BodyProgress: Sendable {
    private let state = Mutex((count: 0, checked: 0, isWaiting: false))

    /// Bytes received.
    var count: Int {
        get { state.withLock { $0.count } }
        set { state.withLock { $0.count = newValue } }
    }

    /// Whether the service waits for the sender. Otherwise it waits for its own disk.
    var isWaiting: Bool {
        get { state.withLock { $0.isWaiting } }
        set { state.withLock { $0.isWaiting = newValue } }
    }

    /// Whether at least `needed` bytes arrived since the last call, or the service does not wait for the sender.
    func hasAdvanced(by needed: Int) -> Bool {
        state.withLock { state in
            defer { state.checked = state.count }
            return state.count - state.checked >= needed || !state.isWaiting
        }
    }
}
