import FoundationEssentials
import StrataDomain
import StrataTerminal
import StrataTesting
import StrataTokens
import Testing

@testable import StrataClientProgram

/// Rows are read at the server only, so nothing else is stored here.
@Suite struct `Undo in a program where nothing works offline` {
    @Test func `an add is taken back at the server by its version, and a second undo finds nothing`() async throws {
        let server = try await LoopbackServer.start(
            .init { request in
                request.method == "DELETE"
                    ? [.send("HTTP/1.1 204 No Content\r\n\r\n")]
                    : [
                        .json(
                            #"{"id":"b1","name":"North","version":3,"updated_at":"2026-11-21T12:00:00.000Z"}"#,
                            status: "201 Created")
                    ]
            })
        let tides = try Tides(commands: [.cached(BuoysGroup.self, Buoy.self), .sync])
        let settings = try tides.settings(["--server", server.url], variables: ["TOKEN_STORE": "file"])
        try await TokenStores(settings: settings, console: Console(json: true)).storeForLogin().write(
            SessionTokens(
                access: Secret("t"), expiresAt: Date(timeIntervalSince1970: 32_503_680_000),
                account: SessionAccount(server: server.url, userId: "u1", username: "ada")))

        func run(_ words: String...) async throws -> String {
            let output = MemorySink()
            let command = try #require(try tides.program.command(of: words) as? any ConsoleCommand)
            let status = try await Dispatcher.run(
                command, settings, Console(json: false, output: output, errors: MemorySink()))
            #expect(status == .done)
            return output.text
        }
        _ = try await run("buoys", "add", "--name", "North")
        #expect(
            try await run("undo").hasPrefix(
                "b1  the creation in buoys is undone: it is removed again; the server has that"))
        #expect(server.requests.map { "\($0.method) \($0.target)" } == ["POST /v1/buoys", "DELETE /v1/buoys/b1"])
        #expect(server.requests.last?.values("If-Match") == ["\"3\""])
        let error = await #expect(throws: DomainError.self) { try await run("undo") }
        #expect(error?.kind == .notFound)
        await server.stop()
    }
}
