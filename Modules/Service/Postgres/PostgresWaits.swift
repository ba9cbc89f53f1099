/// How long a store waits for the server and for other sessions.
struct PostgresWaits: Sendable {
    /// For a lock, in one statement (`lock_timeout`). Default 5 seconds.
    var lock: Duration = .seconds(5)
    /// For the turn of a write in this process, and for its repetitions. Default 15 seconds.
    var turn: Duration = .seconds(15)
    /// For the end of all other writes, of a write that others have overtaken several times. Those that begin meanwhile wait behind
    /// it. Default 100 ms.
    var alone: Duration = .milliseconds(100)
    /// How long a session may be inside of a write without reading or writing. Default 10 seconds.
    var standstill: Duration = .seconds(10)
    /// How long a statement of a cancelled task may go on before the server is asked to end it. Most end by themselves, which is
    /// cheaper than a cancel request: that is a connection of its own. Default 100 ms.
    var ending: Duration = .milliseconds(100)

    /// Of the server, until it ended a statement as it was asked to, or a connection that is given up is established.
    static let surrender = Duration.seconds(1)
}

extension Duration {
    /// Whole milliseconds, rounded up, 0 or more: for `poll`, and for settings of the server.
    var wholeMilliseconds: Int32 {
        let (seconds, attoseconds) = components
        return Int32(clamping: max(0, seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
    }
}
