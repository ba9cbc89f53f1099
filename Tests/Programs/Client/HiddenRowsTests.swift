import FoundationEssentials
import StrataDomain
import StrataTerminal
import StrataTesting
import StrataTokens
import Testing

@testable import StrataClientProgram

/// Rows of a newer server are kept, and commands say that they are not shown.
@Suite struct `A row that this version cannot show` {
    /// A server without snapshots, whose second buoy has a number as its name.
    private static let page = """
        {"changes":[\
        {"collection":"buoys","id":"b1","version":1,"updated_at":"2026-11-21T12:00:00.000Z","operation":"put",\
        "data":{"name":"North"}},\
        {"collection":"buoys","id":"b2","version":2,"updated_at":"2026-11-21T12:00:00.000Z","operation":"put",\
        "data":{"name":7}}],\
        "cursor":"c1","has_more":false,"is_replacement":true}
        """

    @Test func `is counted after the output of a list, with the update as the next step`() async throws {
        let server = try await LoopbackServer.start(
            .init { request in
                request.target.hasPrefix("/v1/sync/changes") ? [.json(Self.page)] : [.response("404 Not Found")]
            })
        let tides = try Tides(
            commands: [.offline(BuoysGroup.self, Buoy.self), .sync], synchronised: [.entity(Buoy.self)])
        let settings = try tides.settings(["--server", server.url], variables: ["TOKEN_STORE": "file"])
        try await TokenStores(settings: settings, console: Console(json: true)).storeForLogin().write(
            SessionTokens(
                access: Secret("t"), expiresAt: Date(timeIntervalSince1970: 32_503_680_000),
                account: SessionAccount(server: server.url, userId: "u1", username: "ada")))

        func run(_ words: String...) async throws -> (output: String, notes: [String]) {
            let (output, errors) = (MemorySink(), MemorySink())
            let command = try #require(try tides.program.command(of: words) as? any ConsoleCommand)
            let status = try await Dispatcher.run(
                command, settings, Console(json: false, output: output, errors: errors))
            #expect(status == .done)
            return (output.text, errors.lines)
        }
        let sentence =
            "1 of the entries cannot be shown by this version of the program, which does not know their values; they are "
            + "kept. Update the program, then run 'tide-desk sync'."
        let before = try await run("buoys", "list")
        #expect(!before.notes.contains(sentence))
        _ = try await run("sync")
        let after = try await run("buoys", "list")
        #expect(after.output.contains("North") && !after.output.contains("b2"), "\(after.output)")
        #expect(after.notes.contains(sentence), "\(after.notes)")
        await server.stop()
    }
}
