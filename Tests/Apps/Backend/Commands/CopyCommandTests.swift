import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct `The command copy` {
    private let secret = ["SHIFTLOG_SIGNING_SECRET": "f3b1c4a7d29e4c0aa7f3d8e65b9c1d20"]

    private func run(_ arguments: [String], _ home: String, input: String = "") async throws -> ServerProgram.Outcome {
        await (try ServerProgram(arguments, home: home, input: input)).outcome()
    }

    @Test func `an account moves to another database, and a second copy into it is refused`() async throws {
        try await withFreshHome { home in
            let (old, new) = ("sqlite:\(home)/old.sqlite", "sqlite:\(home)/new.sqlite")
            let create = ["create-user", "ada", "--role", "admin", "--password-stdin", "--database", old]
            #expect(try await run(create, home, input: "correct horse\n").status == 0)

            let copied = try await run(["copy", "--from", old, "--to", new], home)
            #expect(copied.status == 0, "\(copied.errors)")
            let lines = copied.output.split(separator: "\n")
            let users = try #require(lines.first { $0.hasPrefix("app_user ") })
            #expect(users.wholeMatch(of: #/app_user +1  [0-9a-f]{64}/#) != nil, "\(users)")
            #expect(lines.last == "Copied \(old) to \(new).")
            #expect(copied.errors.contains("Comparing both databases"))
            #expect(try await run(["list-users", "--database", new], home).output.hasPrefix("ada "))

            let again = try await run(["copy", "--from", old, "--to", new], home)
            #expect(again.status == 65 && again.errors.contains("is not empty"), "\(again.errors)")
            let same = try await run(["copy", "--from", old, "--to", old], home)
            #expect(same.status == 64 && same.errors.contains("the same database"), "\(same.errors)")
            let absent = try await run(["copy", "--from", "sqlite:\(home)/none", "--to", new], home)
            #expect(absent.status == 73 && absent.errors.contains("/none"), "\(absent.errors)")
        }
    }

    @Test func `the database of a running server is not copied`() async throws {
        try await withFreshHome { home in
            let path = home + "/.local/share/shiftlog/server.sqlite"
            let server = try ServerProgram(["serve", "--port", "0"], home: home, environment: secret)
            _ = try #require(await server.errorLine(containing: "listening on"))
            let refused = try await run(["copy", "--from", "sqlite:\(path)", "--to", "sqlite:\(home)/new"], home)
            #expect(refused.status == 73 && refused.errors.contains("Another server uses"), "\(refused.errors)")
            #expect(!FileManager.default.fileExists(atPath: home + "/new"))
            server.signal(SIGTERM)
            #expect(await server.outcome().status == 0)
        }
    }
}
