import Foundation
import StrataDomain
import StrataNetworking
import StrataTesting
import StrataURLSession
import Testing

/// What is true of URLSessionTransport alone.
@Suite(.timeLimit(.minutes(1))) struct URLSessionTransportTests {
    private func run(
        _ script: LoopbackServer.Script, _ options: URLSessionOptions = .standard, directory: URL? = nil,
        _ body: (Stage, URLSessionTransport, LoopbackServer) async throws -> Void
    ) async throws {
        let server = try await LoopbackServer.start(script)
        let place = directory ?? FileManager.default.temporaryDirectory
        let transport = URLSessionTransport(options, directory: place.path)
        let stage = Stage(
            subject: .urlSession, transport: transport, url: server.url, server: server, scripted: nil)
        do { try await body(stage, transport, server) } catch { Issue.record(error) }
        await transport.shutdown()
        await server.stop()
    }

    private func stream(_ chunks: [String], length: Int? = nil) -> UploadBody {
        .stream(length: length, isReplayable: false) { ResponseBody(chunks: chunks.map { Data($0.utf8) }) }
    }

    private func isEmpty(_ directory: URL) -> Bool {
        (try? FileManager.default.contentsOfDirectory(atPath: directory.path))?.isEmpty == true
    }

    @Test func `a spooled body is private, and gone afterwards`() async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let modes = Shared<[Int]>([])
        let script = LoopbackServer.Script { _ in
            for name in (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? [] {
                let path = directory.appendingPathComponent(name).path
                let mode = try? FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
                modes.change { $0.append(mode?.intValue ?? -1) }
            }
            return [.json("{}")]
        }
        try await run(script, directory: directory) { stage, _, server in
            #expect(await stage.exchange(.put, body: self.stream(["ab", "cd"])).head?.status == 200)
            #expect(server.requests.first?.body == "abcd")
            #expect(modes.value == [0o600])
            #expect(self.isEmpty(directory))
            let late = self.stream(["abc"], length: 5)
            #expect(await stage.exchange(.put, body: late).kind == "invalidRequest")
            #expect(self.isEmpty(directory))
        }
    }

    @Test func `an endless request body is refused, not written without end`() async throws {
        try await run(.silent, URLSessionOptions(spoolLimit: 1000)) { stage, _, server in
            let body = UploadBody.stream(length: nil, isReplayable: false) {
                AsyncThrowingStream(unfolding: { Data(repeating: 120, count: 400) })
            }
            let outcome = await stage.exchange(.put, body: body)
            #expect(outcome.kind == "invalidRequest")
            #expect((outcome.failure as? NetworkError)?.description.contains("spoolLimit") == true)
            #expect(server.requests.isEmpty)
        }
    }

    @Test func `a directory that is not there is an error with its path`() async throws {
        let nowhere = URL(fileURLWithPath: "/no-such-directory")
        try await run(.silent, directory: nowhere) { stage, _, _ in
            let outcome = await stage.exchange(.put, body: self.stream(["a"]))
            #expect((outcome.failure as? NetworkError)?.description.contains("/no-such-directory") == true)
        }
    }

    @Test(arguments: [("X-A", "1\r\nX-B: 2"), ("X A", "1"), ("X-A:", "1"), ("", "1"), ("X-A", "1\u{0}")])
    func `a field that would be read as another one is refused`(name: String, value: String) async throws {
        try await run(.silent) { stage, _, server in
            var headers = HeaderFields()
            headers.add(name, value)
            #expect(await stage.exchange(headers: headers).kind == "invalidRequest")
            #expect(server.requests.isEmpty)
        }
    }

    @Test(arguments: ["/a/../b", "/./a", "/a/.."])
    func `a path that libcurl would change is refused`(path: String) async throws {
        try await run(.silent) { stage, _, server in
            #expect(await stage.exchange(.get, path).kind == "invalidRequest")
            #expect(server.requests.isEmpty)
        }
    }

    @Test func `a silent server ends with the idle timeout`() async throws {
        try await run(.silent, URLSessionOptions(idleTimeout: .seconds(1))) { stage, _, _ in
            #expect(await stage.exchange().kind == "timeout")
            try await stage.waitForClose()
        }
    }

    @Test func `an address that refuses does not make a sent request an unsent one`() async throws {
        // 'localhost' may stand for ::1 too, where nobody listens.
        try await run(.always(.close)) { stage, transport, server in
            let local = Stage(
                subject: .urlSession, transport: transport, url: "http://localhost:\(server.port)", server: nil,
                scripted: nil)
            #expect(await local.exchange(.post).kind == "connectionLost")
            #expect(server.requests.count == 1)
        }
    }

    @Test func `shutdown takes no new requests, and ends those that outlast its grace`() async throws {
        try await run(.silent, URLSessionOptions(grace: .zero)) { stage, transport, _ in
            let call = Task { await stage.exchange(.post) }
            try await stage.waitForRequests(1)
            await transport.shutdown()
            #expect(await call.value.kind == "cancelled")
            try await stage.waitForClose()
            #expect(await stage.exchange().kind == "invalidRequest")
        }
    }

    @Test func `options of URLSession out of range are refused`() {
        #expect(throws: OptionsError.self) { try URLSessionOptions(idleTimeout: .milliseconds(1500)) }
        #expect(throws: OptionsError.self) { try URLSessionOptions(idleTimeout: .seconds(86_400)) }
        #expect(throws: OptionsError.self) { try URLSessionOptions(connectionsPerOrigin: 0) }
        #expect(throws: OptionsError.self) { try URLSessionOptions(unreadLimit: 1) }
        #expect(throws: OptionsError.self) { try URLSessionOptions(spoolLimit: -1) }
        #expect(throws: OptionsError.self) { try URLSessionOptions(grace: .seconds(-1)) }
    }
}
