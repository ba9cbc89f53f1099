import CLibPQ

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

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
        ignoringBrokenPipe { _ = PQcancel(raw, &text, CInt(text.count)) }
    }
}

/// Runs `body` so that SIGPIPE does not end the process. libpq sends a cancel request without `MSG_NOSIGNAL`, also to a server
/// that has closed the connection.
private func ignoringBrokenPipe(_ body: () -> Void) {
    var (signals, before, none) = (sigset_t(), sigset_t(), timespec(tv_sec: 0, tv_nsec: 0))
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, &before)
    body()
    // The signal of this thread would end the process as soon as it is not blocked.
    while sigtimedwait(&signals, nil, &none) < 0, errno == EINTR {}
    pthread_sigmask(SIG_SETMASK, &before, nil)
}
