import Foundation
import StrataTesting

/// An origin whose answers name their request, and the program in front of it.
final class CacheProxyBench: Sendable {
    private let workspace: Workspace
    private let gate = Gate()
    let origin: LoopbackServer

    init() async throws {
        workspace = try Workspace()
        origin = try await LoopbackServer.start(
            .init { [gate] request in
                let path = String(request.target)
                let body = path.hasPrefix("/large/") ? Self.large(path) : "\(request.number) \(path)"
                let fields = [
                    "ETag: \"\(request.number)\"", "Connection: close", "Cache-Control: \(Self.control(path))",
                ]
                return (path == "/slow" ? [.wait(gate)] : []) + [.response("200 OK", body, fields: fields)]
            })
    }

    /// Long enough for more than one piece of a body.
    static func large(_ path: String) -> String { String(repeating: "\(path) ", count: 20_000) }

    private static func control(_ path: String) -> String {
        switch path {
        case "/unstored", "/slow": "no-store"
        case "/stale": "max-age=0, stale-if-error=600"
        case "/strict": "max-age=0, must-revalidate"
        default: "max-age=600"
        }
    }

    /// Lets the answer to `/slow` go.
    func letGo() { gate.open() }

    /// Starts the program, and answers once it listens.
    func start(_ options: [String] = []) async throws -> Proxy {
        let program = try workspace.start(
            "shiftlog", ["cache-proxy", "--listen", "127.0.0.1:0", "--origin", origin.url] + options)
        let line = try await program.firstErrorLine(containing: "listening on http://127.0.0.1:")
        guard let port = Int(line.split(separator: ":").last ?? "") else {
            throw EndToEndError("no port in '\(line)'")
        }
        return Proxy(program: program, port: port)
    }

    func outcome(_ options: [String]) async throws -> Outcome {
        try await workspace.start("shiftlog", ["cache-proxy"] + options).outcome()
    }

    struct Proxy: Sendable {
        let program: Program
        let port: Int

        var isListening: Bool { Sockets.listens(port) }

        func get(_ path: String) async throws -> RawHTTP.Answer {
            try await RawHTTP.send(
                RawHTTP.request("GET", Array(path.utf8), headers: ["Host: h", "Connection: close"]), port: port)
        }

        func end(_ signal: Int32) async throws -> Outcome {
            program.signal(signal)
            return try await program.outcome()
        }
    }
}

extension RawHTTP.Answer {
    /// The first value of a field.
    func value(_ name: String) -> String? {
        for line in head.split(separator: "\r\n").dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2, parts[0].lowercased() == name.lowercased() {
                return String(parts[1].drop { $0 == " " })
            }
        }
        return nil
    }
}

extension Sockets {
    /// Whether somebody takes connections at `port`.
    static func listens(_ port: Int) -> Bool {
        guard let socket = connected(to: port) else { return false }
        close(socket)
        return true
    }
}
