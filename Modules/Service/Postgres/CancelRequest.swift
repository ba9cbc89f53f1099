import CLibPQ
import StrataSystem

/// A request to end the statement that a connection runs. It goes over a connection of its own.
// Sendable proof: libpq copied what it needs from the connection, and only `send` uses the copy.
final class CancelRequest: @unchecked Sendable {
    private let raw: OpaquePointer

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
        ignoringBrokenPipe { _ = PQcancel(raw, &text, CInt(text.count)) }
    }
}
