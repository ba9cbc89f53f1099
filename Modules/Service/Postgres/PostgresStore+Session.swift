import StrataService

extension PostgresStore {
    /// A connection pool between this program and the server, such as pgbouncer, must be in session mode: LISTEN, prepared
    /// statements and the lock of the maintainer belong to a connection of the server.
    ///
    /// A pool makes up the process id that it tells its clients, so this asks nothing of a server that is reached directly.
    ///
    /// - Throws: `StoreError.unavailable` when two connections use one process of the server, or one uses several.
    func requireOwnConnection(_ application: String) async throws {
        let isShared = try await running { [location, longestWait] connection in
            try connection.begin([])
            guard !connection.isDirect, let process = try connection.process() else { return false }
            let other = try PostgresConnection(location, application: application, limit: longestWait)
            // A pool gives a free connection of the server to the next transaction of any client.
            for _ in 0..<4 {
                let (others, own) = (try other.process(), try connection.process())
                if others == process || own != process { return true }
            }
            return false
        }
        guard isShared else { return }
        throw StoreError.unavailable(
            "'\(location)' is a connection pool that changes the server's connection with each transaction. Set its "
                + "pool_mode to session, or use the address of the server.")
    }
}

extension PostgresConnection {
    /// The id of the server's process.
    fileprivate func process() throws -> String? { try run("SELECT pg_backend_pid()") }
}
