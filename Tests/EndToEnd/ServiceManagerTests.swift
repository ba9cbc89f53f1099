import Foundation
import Testing

/// The server as systemd starts it: with a socket that is open already, and somebody who wants to hear how it is.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ServiceManagerTests {
    private static let question = ArraySlice("GET /health/ready HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".utf8)

    @Test func `a request made before the server started is answered, and one made while it restarts`() async throws {
        let workspace = try Workspace()
        let manager = try ServiceManager()
        for _ in 0..<2 {
            let caller = try manager.connected()
            defer { close(caller) }
            #expect(Sockets.send(Self.question, on: caller))
            let program = try manager.start(workspace)
            let answer = try await Self.answer(on: caller)
            #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.hasSuffix(#"{"status":"ready"}"#), "\(answer)")
            let line = try await program.firstErrorLine(containing: "listening on")
            #expect(line == "listening on http://127.0.0.1:\(manager.port)")
            program.signal(SIGTERM)
            let outcome = try await program.outcome()
            #expect(outcome.status == 0 && !outcome.wasSignalled, "\(outcome.err)")
        }
    }

    @Test(arguments: [true, false])
    func `the manager hears that the server is ready, that it lives, and that it stops`(isPath: Bool) async throws {
        let workspace = try Workspace()
        let manager = try ServiceManager(reportsAt: isPath ? "\(workspace.root)/notify" : nil)
        let program = try manager.start(workspace, variables: ["WATCHDOG_USEC": "200000"])
        var reports: [String] = []
        while !reports.contains("READY=1") { reports.append(try await manager.report()) }
        for _ in 0..<3 { reports.append(try await manager.report()) }
        program.signal(SIGTERM)
        while reports.last != "STOPPING=1" { reports.append(try await manager.report()) }
        #expect(reports.count { $0 == "READY=1" } == 1)
        #expect(reports.count { $0 == "WATCHDOG=1" } >= 3)
        #expect(Set(reports) == ["READY=1", "WATCHDOG=1", "STOPPING=1"])
        #expect(try await program.outcome().status == 0)
    }

    @Test func `a server with its own socket sends notifications, and no heartbeats without a watchdog`()
        async throws
    {
        let workspace = try Workspace()
        let manager = try ServiceManager()
        // The signs are wanted from process 1.
        let program = try manager.start(
            workspace,
            variables: [
                "LISTEN_PID": "1", "SHIFTLOG_HTTP_PORT": "0", "WATCHDOG_USEC": "1000", "WATCHDOG_PID": "1",
            ])
        let line = try await program.firstErrorLine(containing: "listening on http://127.0.0.1:")
        #expect(!line.hasSuffix(":\(manager.port)"))
        #expect(try await manager.report() == "READY=1")
        program.signal(SIGINT)
        #expect(try await manager.report() == "STOPPING=1")
        #expect(try await program.outcome().status == 0)
    }

    @Test func `a socket with a path is served`() async throws {
        let workspace = try Workspace()
        let path = "\(workspace.root)/shiftlog.sock"
        let manager = try ServiceManager(listeningAt: path)
        let program = try manager.start(workspace)
        #expect(try await program.firstErrorLine(containing: "listening on") == "listening on unix:\(path)")
        let caller = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(caller) }
        var (address, length) = ServiceManager.address(path)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(caller, $0, length) == 0 }
        }
        #expect(isConnected && Sockets.send(Self.question, on: caller))
        #expect(try await Self.answer(on: caller).hasPrefix("HTTP/1.1 200 "))
        program.signal(SIGTERM)
        #expect(try await program.outcome().status == 0)
    }

    @Test func `a service manager that is gone does not end the server`() async throws {
        let workspace = try Workspace()
        let manager = try ServiceManager()
        let program = try manager.start(
            workspace, variables: ["NOTIFY_SOCKET": "\(workspace.root)/nobody", "WATCHDOG_USEC": "20000"])
        let caller = try manager.connected()
        defer { close(caller) }
        #expect(Sockets.send(Self.question, on: caller))
        #expect(try await Self.answer(on: caller).hasPrefix("HTTP/1.1 200 "))
        program.signal(SIGTERM)
        let outcome = try await program.outcome()
        #expect(outcome.status == 0)
        #expect(
            outcome.err.components(separatedBy: "the service manager cannot be notified").count == 2, "\(outcome.err)")
    }

    @Test(
        arguments: [
            (["LISTEN_FDS": "2", "LISTEN_FDNAMES": "http:metrics"], "3<&0 4<&0", "2 sockets (http, metrics)"),
            (["LISTEN_FDS": "many"], "3<&0", "LISTEN_FDS is 'many'"),
            (["LISTEN_FDS": "0"], "3<&0", "LISTEN_FDS is '0'"),
            (["LISTEN_PID": "me"], "3<&0", "LISTEN_PID is 'me'"),
            ([:], "3<&-", "descriptor 3 is not open"),
            ([:], "3</dev/null", "Descriptor 3, passed by LISTEN_FDS, is not a socket"),
        ] as [([String: String], String, String)])
    func `a wrong socket ends the start with a sentence and a status that is not tried again`(
        variables: [String: String], redirection: String, words: String
    ) async throws {
        let workspace = try Workspace()
        let (listener, _) = try Sockets.listening()
        defer { close(listener) }
        let outcome = try await ServiceManager.start(
            workspace, handing: listener, variables: variables, redirection: redirection
        ).outcome()
        #expect(outcome.status == 64 && !outcome.wasSignalled)
        #expect(outcome.err.hasPrefix("shiftlog-server: ") && outcome.err.contains(words), "\(outcome.err)")
        #expect(outcome.out.isEmpty && outcome.err.count { $0 == "\n" } == 1)
    }

    /// Everything until the server closes, for at most a minute.
    private static func answer(on socket: Int32) async throws -> String {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var patience = timeval(tv_sec: 60, tv_usec: 0)
                setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
                var (bytes, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
                while true {
                    let count = recv(socket, &buffer, buffer.count, 0)
                    guard count > 0 else { break }
                    bytes += buffer.prefix(count)
                }
                continuation.resume(returning: String(decoding: bytes, as: UTF8.self))
            }
        }
    }
}
