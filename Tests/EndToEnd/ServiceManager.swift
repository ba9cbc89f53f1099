import Foundation

/// What a service manager does for a server: it holds the socket, hands it over as descriptor 3, and hears how the server
/// is.
final class ServiceManager: Sendable {
    /// Of the listening socket, which is open before any server is; 0 for a path.
    let port: Int
    private let listener: Int32
    private let reports: Int32
    private let name: String

    /// - Parameters:
    ///   - path: Where to listen instead of at a port.
    ///   - reportsAt: A path; an abstract name without it.
    init(listeningAt path: String? = nil, reportsAt: String? = nil) throws {
        if let path {
            (listener, port) = (try Self.bound(to: path, type: SOCK_STREAM), 0)
            try require(listen(listener, 16) == 0, "no socket at \(path)")
        } else {
            (listener, port) = try Sockets.listening()
        }
        name = reportsAt ?? "@strata-e2e-\(UUID().uuidString)"
        reports = try Self.bound(to: name, type: SOCK_DGRAM)
        var patience = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(reports, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        close(listener)
        close(reports)
    }

    /// Starts `shiftlog-server serve` with the socket as descriptor 3 and `LISTEN_PID` its own id.
    ///
    /// - Parameter variables: Besides and before the usual ones; an empty one counts as not set.
    func start(_ workspace: Workspace, variables: [String: String] = [:]) throws -> Program {
        try Self.start(workspace, handing: listener, variables: ["NOTIFY_SOCKET": name].merging(variables) { $1 })
    }

    /// - Parameter redirection: What the shell makes of its standard input, which is the descriptor.
    static func start(
        _ workspace: Workspace, handing descriptor: Int32, variables: [String: String] = [:],
        redirection: String = "3<&0"
    ) throws -> Program {
        var environment = workspace.environment.merging(["LISTEN_FDS": "1"]) { $1 }
        for (name, value) in variables { environment[name] = value }
        environment["SHIFTLOG_HOME"] = "\(workspace.root)/home"
        let script = #"exec \#(redirection) 0</dev/null; export LISTEN_PID=${LISTEN_PID:-$$}; exec "$@""#
        return try Program(
            "/bin/sh", ["-c", script, "sh", "\(Workspace.products)/shiftlog-server", "serve"],
            environment: environment, folder: workspace.root,
            standardInput: descriptor)
    }

    /// The next report, without its status text.
    func report() async throws -> String {
        let reports = reports
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                var buffer = [UInt8](repeating: 0, count: 4096)
                let count = recv(reports, &buffer, buffer.count, 0)
                guard count >= 0 else { return continuation.resume(throwing: EndToEndError("the server said nothing")) }
                let lines = String(decoding: buffer.prefix(count), as: UTF8.self).split(separator: "\n")
                continuation.resume(returning: lines.filter { !$0.hasPrefix("STATUS=") }.joined(separator: " "))
            }
        }
    }

    /// A connection to the listening socket, whoever serves it.
    func connected() throws -> Int32 {
        guard let socket = Sockets.connected(to: port) else { throw EndToEndError("nobody listens at \(port)") }
        return socket
    }

    private static func bound(to name: String, type: __socket_type) throws -> Int32 {
        let socket = Glibc.socket(AF_UNIX, Int32(type.rawValue), 0)
        var (address, length) = address(name)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, length) }
        }
        guard result == 0 else { throw EndToEndError("no socket at \(name): \(errno)") }
        return socket
    }

    /// - Parameter name: A path, or `@` and an abstract name.
    static func address(_ name: String) -> (sockaddr_un, socklen_t) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(name.utf8)
        let isAbstract = bytes.first == UInt8(ascii: "@")
        if isAbstract { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes.prefix($0.count - 1)) }
        return (address, socklen_t(2 + bytes.count + (isAbstract ? 0 : 1)))
    }
}
