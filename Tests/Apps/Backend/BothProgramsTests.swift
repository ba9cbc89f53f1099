import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Both programs` {
    @Test func `a user of the server logs in with the command line, which knows the user and the server then`()
        async throws
    {
        try await withFreshHome { home in
            let password = "correct horse battery\n"
            let created = await
                (try ServerProgram(
                    ["create-user", "ada", "--role", "admin", "--password-stdin"], home: home, input: password))
                .outcome()
            #expect(created.status == 0, "\(created.errors)")
            let server = try ServerProgram(
                ["serve", "--port", "0"], home: home,
                environment: ["SHIFTLOG_SIGNING_SECRET": "f3b1c4a7d29e4c0aa7f3d8e65b9c1d20"])
            let line = try #require(await server.errorLine(containing: "listening on http"))
            let environment = [
                "SHIFTLOG_SERVER": String(line.split(separator: " ").last ?? ""), "SHIFTLOG_TOKEN_STORE": "file",
            ]
            func command(_ arguments: [String], input: String = "") async throws -> ServerProgram.Outcome {
                await
                    (try ServerProgram(
                        arguments, home: home, environment: environment, input: input, program: "shiftlog")).outcome()
            }

            let login = try await command(["login", "--username", "ada", "--password-stdin"], input: password)
            #expect(login.status == 0, "\(login.errors)")
            let whoami = try await command(["whoami"])
            #expect(whoami.output.hasPrefix("ada "), "\(whoami.output)\(whoami.errors)")
            let status = try await command(["status", "--json"])
            #expect(status.output.contains("\"ready\""), "\(status.output)\(status.errors)")

            server.signal(SIGTERM)
            #expect(await server.outcome().status == 0)
        }
    }
}
