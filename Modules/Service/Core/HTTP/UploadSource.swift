import HTTPTypes
import Hummingbird
import NIOCore
import StrataConcurrency
import StrataDomain

/// The body of one request as it arrives, bounded in size; the next bytes are read when they are asked for.
final class UploadSource {
    // Sendable proof: the class is not Sendable, so one task at a time asks, and awaits each answer before the next.
    nonisolated(unsafe) private var iterator: RequestBody.AsyncIterator
    private let notes: CallNotes
    private let declared: Int?
    private let limit: Int
    private let progress: UploadProgress
    private var received = 0

    /// - Parameters:
    ///   - declared: The body's `Content-Length`, if any.
    ///   - limit: Largest body in bytes.
    init(_ call: ServiceCall, declared: Int?, limit: Int, progress: UploadProgress) {
        iterator = call.request.body.makeAsyncIterator()
        notes = call.notes
        self.declared = declared
        self.limit = limit
        self.progress = progress
    }

    /// The next bytes; `nil` at the end of the body.
    ///
    /// - Throws: 413 above the limit, 400 for a body that is shorter than it was declared.
    func next() async throws -> ByteBuffer? {
        notes.body = .interrupted
        progress.isWaiting = true
        defer { progress.isWaiting = false }
        guard let piece = try await iterator.next() else {
            if let declared, declared != received {
                throw ServiceError.malformed("The body ended after \(received) of \(declared) bytes.")
            }
            notes.body = .consumed
            return nil
        }
        received += piece.readableBytes
        progress.count = received
        guard received <= limit else { throw RequestBodyReader.tooLarge(limit) }
        return piece
    }
}

/// How an upload gets on, as its watch sees it.
final class UploadProgress: Sendable {
    private let state = Mutex((count: 0, checked: 0, isWaiting: false))

    /// Bytes that have come.
    var count: Int {
        get { state.withLock { $0.count } }
        set { state.withLock { $0.count = newValue } }
    }

    /// Whether at least `needed` bytes have come since this was asked last, or the sender is not what we wait for.
    func keepsComing(_ needed: Int) -> Bool {
        state.withLock { state in
            defer { state.checked = state.count }
            return state.count - state.checked >= needed || !state.isWaiting
        }
    }

    /// Whether the sender is what we wait for; else it is our own disk.
    var isWaiting: Bool {
        get { state.withLock { $0.isWaiting } }
        set { state.withLock { $0.isWaiting = newValue } }
    }
}

extension RequestBodyReader {
    /// Runs `body` while an upload keeps coming: in every `ServiceLimits.bodyGrace` as many bytes as
    /// `ServiceLimits.minimumBodyRate` asks for. A time in which we took none, since our own disk is slow, counts as well.
    ///
    /// - Throws: 408 when too little came; then `body` is cancelled and waited for, and its result is dropped.
    func watching<Result: Sendable>(
        _ progress: UploadProgress, _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let (timers, grace) = (timers, limits.bodyGrace)
        let needed = max(1, Int(grace / .seconds(1) * Double(limits.minimumBodyRate)))
        let result = try await withTimeLimit(
            until: timers.now + grace, on: timers,
            extendedTo: { progress.keepsComing(needed) ? timers.now + grace : nil }, body)
        guard let result else { throw Self.tooSlow }
        return result
    }
}
