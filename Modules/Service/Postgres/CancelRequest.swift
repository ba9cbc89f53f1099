import CLibPQ
import Dispatch
import StrataSystem

/// A request to end the statement that a connection runs. It goes over a connection of its own.
// Sendable proof: libpq copied what it needs from the connection, and only `send`, which is called once, uses the copy.
final class CancelRequest: @unchecked Sendable {
    private let raw: OpaquePointer
    private let delivered = DispatchSemaphore(value: 0)

    /// - Returns: `nil` without memory or without a connection.
    init?(_ connection: OpaquePointer) {
        guard let raw = PQgetCancel(connection) else { return nil }
        self.raw = raw
    }

    deinit { PQfreeCancel(raw) }

    /// Sends the request and waits until the server has closed the connection; blocks, also for a server that does not answer.
    func send() {
        var text = [CChar](repeating: 0, count: 256)
        // libpq sends it without `MSG_NOSIGNAL`, also to a server that has closed the connection.
        var isDelivered = false
        ignoringBrokenPipe { isDelivered = PQcancel(raw, &text, CInt(text.count)) == 1 }
        if isDelivered { delivered.signal() }
    }

    /// Whether the server has signalled the process of the connection, after at most `limit`. PostgreSQL does that before it
    /// closes the connection of the request, so a later statement is safe from it. A connection pool may close earlier.
    func isDelivered(within limit: Duration) -> Bool {
        delivered.wait(timeout: .now() + .milliseconds(Int(limit.wholeMilliseconds))) == .success
    }
}
