import StrataConcurrency

/// Bounds the response bytes that wait for readers, over all connections.
///
/// Above the bound the connection whose reader has made no progress for longest is closed, until the rest fits. A reader
/// that made progress within the last second is spared up to twice the bound.
final class WriteBufferLimit: Sendable {
    private struct Buffer {
        var bytes: Int
        var lastProgress: Duration
        let close: @Sendable () -> Void
    }

    private struct State {
        var total = 0
        var buffers: [ConnectionLimits.ID: Buffer] = [:]
    }

    private let limit: Int
    private let state = Mutex(State())

    /// A reader on a network makes progress within this time.
    private static let grace = Duration.seconds(1)

    /// - Parameter limit: In bytes, at least 1.
    init(limit: Int) { self.limit = max(1, limit) }

    /// Bytes that wait now.
    var total: Int { state.withLock { $0.total } }

    /// - Parameters:
    ///   - bytes: Bytes that wait on this connection; 0 removes it.
    ///   - hasProgressed: Whether the reader has taken bytes since the last call.
    ///   - close: Closes the connection.
    func update(
        _ bytes: Int, of connection: ConnectionLimits.ID, hasProgressed: Bool, at now: Duration,
        close: @escaping @Sendable () -> Void
    ) {
        let closing = state.withLock { state -> [@Sendable () -> Void] in
            let old = state.buffers[connection]
            state.total += bytes - (old?.bytes ?? 0)
            let lastProgress = hasProgressed ? now : old?.lastProgress ?? now
            state.buffers[connection] =
                bytes == 0 ? nil : Buffer(bytes: bytes, lastProgress: lastProgress, close: close)
            var closing: [@Sendable () -> Void] = []
            while state.total > limit,
                let slowest = state.buffers.min(by: { $0.value.lastProgress < $1.value.lastProgress }),
                now - slowest.value.lastProgress >= Self.grace || state.total > 2 * limit
            {
                state.total -= slowest.value.bytes
                state.buffers[slowest.key] = nil
                closing.append(slowest.value.close)
            }
            return closing
        }
        for close in closing { close() }
    }
}
