import StrataConcurrency
import StrataNetworking

/// Connections that wait for the next request to their origin.
final class KeptConnections: Sendable {
    private static let limit = 64
    private let connections = Mutex<[Origin: [OriginConnection]]>([:])

    /// The one that was used last.
    func take(_ origin: Origin) -> OriginConnection? { connections.withLock { $0[origin]?.popLast() } }

    /// - Returns: `false` when enough are kept already.
    func put(_ connection: OriginConnection) -> Bool {
        connections.withLock { connections in
            guard connections[connection.origin, default: []].count < Self.limit else { return false }
            connections[connection.origin, default: []].append(connection)
            return true
        }
    }

    func remove(_ connection: OriginConnection) {
        connections.withLock { connections in
            connections[connection.origin]?.removeAll { $0 === connection }
            if connections[connection.origin]?.isEmpty == true { connections[connection.origin] = nil }
        }
    }
}
