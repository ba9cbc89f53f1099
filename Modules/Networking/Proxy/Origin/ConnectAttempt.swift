import NIOCore
import StrataConcurrency
import StrataDomain
import StrataNetworking

/// Waits for a connection, and closes one that nobody waits for any more.
final class ConnectAttempt: Sendable {
    private let promise: EventLoopPromise<OriginConnection>
    private let isDecided = Mutex(false)

    init(on loop: any EventLoop) { promise = loop.makePromise() }

    func end(_ result: Result<OriginConnection, any Error>) {
        if decide() { return promise.completeWith(result) }
        if case .success(let connection) = result { connection.channel.close(promise: nil) }
    }

    /// - Throws: What connecting met; `.cancelled` when the task was.
    func connection() async throws -> OriginConnection {
        try await withTaskCancellationHandler {
            try await promise.futureResult.get()
        } onCancel: {
            if decide() { promise.fail(NetworkError(.cancelled)) }
        }
    }

    private func decide() -> Bool {
        isDecided.withLock { isDecided in
            defer { isDecided = true }
            return !isDecided
        }
    }
}
