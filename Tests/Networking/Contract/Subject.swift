import FoundationEssentials
import StrataAsyncHTTP
import StrataDomain
import StrataNetworking
import StrataTesting
import StrataURLSession
import Testing

/// A transport held to the contract in `Transport.swift`.
enum Subject: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case asyncHTTP, urlSession, scripted

    static let onSockets: [Subject] = [.asyncHTTP, .urlSession]

    var testDescription: String { rawValue }

    /// Runs `body` against a server that answers every request with `reply`, and takes both down afterwards.
    func run(_ reply: Reply, _ body: (Stage) async throws -> Void) async throws {
        if self == .scripted {
            let transport = ScriptedTransport(then: reply.answer)
            let stage = Stage(
                subject: self, transport: transport, url: "http://contract.test", server: nil, scripted: transport)
            return try await body(stage)
        }
        let server = try await LoopbackServer.start(.init(atHead: reply.atHead) { _ in reply.steps })
        try await on(server, body)
        await server.stop()
    }

    /// Runs `body` against `server`, over real sockets.
    func on(_ server: LoopbackServer, _ body: (Stage) async throws -> Void) async throws {
        let transport: any Transport
        let shutdown: () async -> Void
        switch self {
        case .urlSession:
            let made = URLSessionTransport()
            (transport, shutdown) = (made, { await made.shutdown() })
        case .asyncHTTP, .scripted:
            let made = AsyncHTTPTransport()
            (transport, shutdown) = (made, { await made.shutdown() })
        }
        let stage = Stage(subject: self, transport: transport, url: server.url, server: server, scripted: nil)
        do { try await body(stage) } catch { Issue.record(error) }
        await shutdown()
    }
}

/// What a server does with every request: as bytes on the wire, and as a step of a script.
struct Reply: Sendable, CustomTestStringConvertible {
    let name: String
    let atHead: Bool
    let steps: [LoopbackServer.Step]
    let answer: ScriptedTransport.Answer

    init(
        _ name: String, atHead: Bool = false, _ steps: [LoopbackServer.Step], as answer: ScriptedTransport.Answer
    ) {
        self.name = name
        self.atHead = atHead
        self.steps = steps
        self.answer = answer
    }

    var testDescription: String { name }

    /// A complete answer with a length.
    static func whole(
        _ status: Int = 200, headers: HeaderFields = [:], body: String = "", announcing length: Int? = nil,
        atHead: Bool = false
    ) -> Reply {
        let fields = headers.map { "\($0.name): \($0.value)\r\n" }.joined()
        let hasLength = status != 204
        let announced = hasLength ? "Content-Length: \(length ?? body.utf8.count)\r\n" : ""
        return Reply(
            "\(status)", atHead: atHead, [.send("HTTP/1.1 \(status) Status\r\n\(fields)\(announced)\r\n\(body)")],
            as: .status(status, headers: headers, body: body))
    }

    static let silent = Reply("silence", [], as: .silence)

    /// A head and the first bytes of a body, and then nothing more.
    static let stalled = Reply(
        "a stalled body", [.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{")],
        as: .slow([Data("{".utf8), Data("}".utf8)], gates: [.opened, Gate()]))

    static let endless = Reply(
        "an endless body",
        [
            .send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n"),
            .sendForever(String(repeating: "x", count: 65_536)),
        ], as: .endless(Data(repeating: 120, count: 65_536)))
}

/// A transport and what it talks to.
struct Stage: Sendable {
    let subject: Subject
    let transport: any Transport
    let url: String
    let server: LoopbackServer?
    let scripted: ScriptedTransport?

    func request(
        _ method: HTTPMethod = .get, _ target: String = "/", headers: HeaderFields = [:], body: UploadBody? = nil
    ) throws -> ClientRequest {
        let context = CallContext(
            requestId: "r", summary: "\(method.rawValue) \(target)",
            deadline: Deadline(in: .seconds(1), on: MonotonicTime(ManualClock())))
        return ClientRequest(method, try HTTPURL(url + target), headers: headers, body: body, context: context)
    }

    /// Sends and reads all; never throws.
    func exchange(
        _ method: HTTPMethod = .get, _ target: String = "/", headers: HeaderFields = [:], body: UploadBody? = nil
    ) async -> Outcome {
        let outcome = Shared(Outcome())
        do {
            try await transport.send(try request(method, target, headers: headers, body: body)) { response in
                outcome.change { $0.head = response.head }
                for try await chunk in response.body { outcome.change { $0.body += chunk } }
            }
        } catch {
            outcome.change { $0.failure = error }
        }
        return outcome.value
    }

    func waitForRequests(_ count: Int) async throws {
        try await server?.waitForRequests(count)
        await scripted?.waitForCalls(count)
    }

    /// Returns once the other side has seen that the connection is gone.
    func waitForClose() async throws { try await server?.waitForCloses(1) }
}

/// What came of one exchange.
struct Outcome: Sendable {
    var head: ResponseHead?
    var body = Data()
    var failure: (any Error)?

    var text: String { String(decoding: body, as: UTF8.self) }

    /// The case of the failure: `connectionLost`. Empty when there is none.
    var kind: String {
        guard let failure else { return "" }
        guard let error = failure as? NetworkError else { return "\(type(of: failure))" }
        return String(error.kindText.prefix { $0 != "(" })
    }
}

extension Gate {
    static var opened: Gate {
        let gate = Gate()
        gate.open()
        return gate
    }
}
