#if POSTGRES
    import Foundation
    import StrataConcurrency
    import StrataFeatureTesting
    import StrataPostgres

    /// Stands between a store and the server of the tests, at a socket in a directory, and cuts connections.
    final class PostgresRelay: Sendable {
        enum Fault: Sendable {
            /// The server does not get the next COMMIT.
            case beforeCommit
            /// The server gets it, and its answer is not passed on.
            case afterCommit
            /// The server gets no more of a message once a part with `mark` went to it, and no more is read of what it sends.
            case standstill
        }

        /// What a statement has in it whose connection shall stand still.
        static let mark = "stand still"

        private struct State {
            var fault: Fault?
            var refuses = false
        }

        /// Shared with the threads, which may outlive the relay by a moment.
        private final class Route: Sendable {
            let state = Mutex(State())
        }

        private let route = Route()
        private let listening: CInt
        let location: PostgresLocation

        struct NoSocket: Error {}

        /// - Throws: `NoSocket` when the server of the tests is not reached over a socket of this machine.
        init(in directory: String, schema: String) throws {
            let name = ".s.PGSQL.5432"
            guard var address = URLComponents(string: PostgresTestServer.address ?? ""),
                let place = address.queryItems?.firstIndex(where: { $0.name == "host" }),
                let host = address.queryItems?[place].value, host.hasPrefix("/")
            else { throw NoSocket() }
            address.queryItems?[place].value = directory
            address.queryItems?.append(URLQueryItem(name: "options", value: "-csearch_path=\(schema)"))
            guard let location = try PostgresLocation(address.string ?? "") else { throw NoSocket() }
            self.location = location
            let listening = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
            self.listening = listening
            guard Self.withAddress("\(directory)/\(name)", { bind(listening, $0, $1) }) == 0, listen(listening, 64) == 0
            else { throw NoSocket() }
            let target = "\(host)/\(name)"
            Thread.detachNewThread { [route] in
                while true {
                    let client = accept(listening, nil, nil)
                    guard client >= 0 else { break }
                    Thread.detachNewThread { Self.serve(client, target, route) }
                }
                close(listening)
            }
        }

        deinit { shutdown(listening, CInt(SHUT_RDWR)) }

        /// Cuts the connection of the next write that is committed.
        func cut(_ fault: Fault) { route.state.withLock { $0.fault = fault } }
        var hasCut: Bool { route.state.withLock { $0.fault == nil } }
        /// Whether new connections are closed at once.
        func refuse(_ refuses: Bool) { route.state.withLock { $0.refuses = refuses } }

        static func withAddress(
            _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt
        ) -> CInt {
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
            return withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
        }

        private static func serve(_ client: CInt, _ target: String, _ route: Route) {
            defer { close(client) }
            let server = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
            defer { close(server) }
            guard !route.state.withLock({ $0.refuses }), withAddress(target, { connect(server, $0, $1) }) == 0 else {
                return
            }
            var buffer = [UInt8](repeating: 0, count: 65_536)
            /// The next answer of the server ends the connection.
            var isLast = false
            while true {
                var entries = [
                    pollfd(fd: client, events: Int16(POLLIN), revents: 0),
                    pollfd(fd: server, events: Int16(POLLIN), revents: 0),
                ]
                guard poll(&entries, 2, -1) > 0 else { return }
                let isFromClient = entries[0].revents != 0
                let count = recv(isFromClient ? client : server, &buffer, buffer.count, 0)
                guard count > 0, !(isLast && !isFromClient) else { return }
                if isFromClient, route.state.withLock({ $0.fault == .standstill }),
                    Data(buffer[..<count]).range(of: Data(mark.utf8)) != nil
                {
                    guard send(server, &buffer, count, CInt(MSG_NOSIGNAL)) == count else { return }
                    route.state.withLock { $0.fault = nil }
                    // Until the server ends the connection.
                    var end = pollfd(fd: server, events: 0, revents: 0)
                    _ = poll(&end, 1, 60_000)
                    return
                }
                if isFromClient, Data(buffer[..<count]).range(of: Data("COMMIT\0".utf8)) != nil {
                    let fault = route.state.withLock { state in
                        defer { state.fault = nil }
                        return state.fault
                    }
                    if fault == .beforeCommit { return }
                    isLast = fault == .afterCommit
                }
                guard send(isFromClient ? server : client, &buffer, count, CInt(MSG_NOSIGNAL)) == count else { return }
            }
        }
    }
#endif
