import NIOCore
import StrataConcurrency
import StrataNetworking

/// The connections of one server, up to a limit.
final class ServerConnections: Sendable {
    private let limit: Int
    private let open = Mutex<[ObjectIdentifier: ServerConnection]>([:])
    private let inFlight = InFlight()

    init(limit: Int) { self.limit = limit }

    /// - Returns: `false` when there are too many, or none are taken any more.
    func add(_ connection: ServerConnection) -> Bool {
        open.withLock { open in
            guard open.count < limit, inFlight.begin() else { return false }
            open[ObjectIdentifier(connection)] = connection
            return true
        }
    }

    func remove(_ connection: ServerConnection) {
        let wasOpen = open.withLock { $0.removeValue(forKey: ObjectIdentifier(connection)) != nil }
        if wasOpen { inFlight.end() }
    }

    /// Takes no more connections.
    ///
    /// - Returns: Whether this call was the first.
    func closeOnce() -> Bool { inFlight.close() }

    /// Lets each end after the request it is at; what is left after `grace` is closed.
    func drain(within grace: Duration) async {
        for connection in open.withLock({ Array($0.values) }) { connection.retire() }
        await inFlight.drained(within: grace)
        for connection in open.withLock({ Array($0.values) }) { connection.channel.close(promise: nil) }
    }
}
