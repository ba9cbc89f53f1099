import HTTPTypes
import Hummingbird
import NIOCore
import StrataDomain
import Synchronization

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
    private let state = Mutex((count: 0, isWaiting: false))

    /// Bytes that have come.
    var count: Int {
        get { state.withLock { $0.count } }
        set { state.withLock { $0.count = newValue } }
    }

    /// Whether the sender is what we wait for; else it is our own disk.
    var isWaiting: Bool {
        get { state.withLock { $0.isWaiting } }
        set { state.withLock { $0.isWaiting = newValue } }
    }
}

extension RequestBodyReader {
    /// Runs `body` while an upload keeps coming: in every `ServiceLimits.bodyGrace` as many bytes as
    /// `ServiceLimits.minimumBodyRate` asks for. There is no limit to the whole.
    ///
    /// - Throws: 408 when too little came; then `body` is cancelled and waited for, and its result is dropped.
    func watching<Result: Sendable>(
        _ progress: UploadProgress, _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let result = try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                try await watch(progress)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
        guard let result else { throw Self.tooSlow }
        return result
    }

    /// Returns when less than the minimum came while we waited for it.
    private func watch(_ progress: UploadProgress) async throws {
        let needed = Int(limits.bodyGrace / .seconds(1) * Double(limits.minimumBodyRate))
        var before = 0
        while true {
            try await clock.sleep(for: limits.bodyGrace)
            let count = progress.count
            if count - before < max(1, needed), progress.isWaiting { return }
            before = count
        }
    }
}
