import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(5))) struct `The server program` {
    private let secret = ["SHIFTLOG_SIGNING_SECRET": "f3b1c4a7d29e4c0aa7f3d8e65b9c1d20"]

    @Test(
        arguments: [
            (["serve"], [:], 64, "new-secret"),
            (["serve"], ["SHIFTLOG_SIGNING_SECRET": "changeme"], 64, "new-secret"),
            (["serve", "--port", "abc"], [:], 64, "'abc'"),
            (["serve", "--port", "65536"], [:], 64, "'65536'"),
            (["serve", "--cors-origins", "https://a.example/"], [:], 64, "write https://a.example."),
            (["serve"], ["SHIFTLOG_HTTP_PORT": "-1"], 64, "SHIFTLOG_HTTP_PORT"),
            (["serve"], ["SHIFTLOG_ENVIRONMENT": "staging"], 64, "SHIFTLOG_ENVIRONMENT"),
            (["serve", "--database", "postgres://u:hunter2@[h/d"], [:], 64, "PostgreSQL"),
            (
                ["serve", "--host", "nosuch.invalid"],
                ["SHIFTLOG_SIGNING_SECRET": "f3b1c4a7d29e4c0aa7f3d8e65b9c1d20"], 69, "nosuch.invalid"
            ),
            (["migrate", "--database", "nowhere"], [:], 64, "sqlite:PATH"),
            (["migrate", "--database", "sqlite:file:x?mode=memory"], [:], 64, "sqlite:PATH"),
            (["migrate", "--database", "sqlite:/proc/no/such.db"], [:], 73, "/proc/no"),
            (["migrate", "--config", "/no/such.json"], [:], 64, "/no/such.json"),
            (["create-user", "ada", "--role", "admin"], [:], 64, "--password-stdin"),
            (["create-user", "ada", "--role", "king", "--password-stdin"], [:], 64, "king"),
            (["create-user", "ada", "--role", "admin", "--password-stdin"], [:], 65, "password"),
            (["list-users"], [:], 73, "server.sqlite"),
            (["end-sessions", "ada", "--database", "sqlite:/no/such.db"], [:], 73, "/no/such.db"),
            (["set-password", "ada"], [:], 64, "--password-stdin"),
            (["set-password", "ada", "--password-stdin"], [:], 65, "password"),
            (["delete-user"], [:], 64, "name"),
            (["link-user", "ada"], [:], 64, "--openid-subject"),
            (["link-user", "ada", "--openid-subject", "7"], [:], 64, "SHIFTLOG_OIDC_ISSUER"),
            (["backup", "copy.db"], [:], 73, "server.sqlite"),
            (["backup"], [:], 64, "file"),
            (["fly"], [:], 64, "fly"),
            (["serve", "--fly"], [:], 64, "--fly"),
        ] as [([String], [String: String], Int32, String)])
    func `the server ends with a sentence and a status, and no trace of a crash`(
        arguments: [String], environment: [String: String], status: Int32, words: String
    ) async throws {
        try await withFreshHome { home in
            let outcome = await (try ServerProgram(arguments, home: home, environment: environment)).outcome()
            #expect(outcome.status == status)
            #expect(!outcome.isSignal)
            #expect(outcome.errors.contains(words), "\(outcome.errors)")
            #expect(!outcome.errors.contains("Fatal error") && !outcome.errors.contains(" at /"))
            #expect(outcome.output.isEmpty)
        }
    }

    #if POSTGRES
        @Test(
            arguments: [
                (["migrate"], 69, "Cannot reach 'postgres://u@127.0.0.1:1/d'"),
                (["backup", "copy.db"], 64, "pg_dump"),
            ] as [([String], Int32, String)])
        func `a command on a PostgreSQL that is not there ends with a sentence`(
            arguments: [String], status: Int32, words: String
        ) async throws {
            try await withFreshHome { home in
                let database = ["--database", "postgres://u:hunter2@127.0.0.1:1/d"]
                let outcome = await (try ServerProgram(arguments + database, home: home)).outcome()
                #expect(outcome.status == status)
                #expect(outcome.errors.contains(words) && !outcome.errors.contains("hunter2"), "\(outcome.errors)")
            }
        }
    #endif

    @Test func `the command for a secret prints a new one and nothing else`() async throws {
        try await withFreshHome { home in
            let outcome = await (try ServerProgram(["new-secret"], home: home)).outcome()
            #expect(outcome.status == 0)
            #expect(outcome.output.count >= 64 && outcome.output.hasSuffix("\n"))
            #expect(outcome.errors.isEmpty)
        }
    }

    @Test func `an account is created once, in a file that only its owner reads`() async throws {
        try await withFreshHome { home in
            let arguments = ["create-user", "ada", "--role", "admin", "--password-stdin"]
            let first = await (try ServerProgram(arguments, home: home, input: "correct horse\n")).outcome()
            #expect(first.status == 0, "\(first.errors)")
            let second = await (try ServerProgram(arguments, home: home, input: "correct horse\n")).outcome()
            #expect(second.status == 65)
            #expect(second.errors.contains("'ada'"))
            #expect(!(first.output + first.errors + second.errors).contains("correct horse"))
            let path = home + "/.local/share/shiftlog/server.sqlite"
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }

    @Test func `the accounts are managed beside a running server`() async throws {
        try await withFreshHome { home in
            let server = try ServerProgram(["serve", "--port", "0"], home: home, environment: secret)
            _ = try #require(await server.errorLine(containing: "listening on"))
            func run(_ arguments: [String], input: String = "") async throws -> ServerProgram.Outcome {
                await (try ServerProgram(arguments, home: home, input: input)).outcome()
            }
            for (name, role) in [("ada", "admin"), ("grace", "member")] {
                let made = try await run(
                    ["create-user", name, "--role", role, "--email", "\(name)@example.org", "--password-stdin"],
                    input: "correct horse\n")
                #expect(made.status == 0, "\(made.errors)")
            }
            let list = try await run(["list-users"])
            #expect(list.output.contains("Z  grace@example.org\n"), "\(list.output)")
            let rows = list.output.split(separator: "\n").map {
                $0.split(separator: " ").prefix(3).joined(separator: " ")
            }
            #expect(rows == ["ada admin 0", "grace member 0"])
            let set = try await run(["set-password", "grace", "--password-stdin"], input: "another horse\n")
            #expect(set.status == 0 && set.output.contains("'grace'"), "\(set.errors)")
            #expect(!(set.output + set.errors).contains("another horse"))
            let short = try await run(["set-password", "grace", "--password-stdin"], input: "short\n")
            #expect(short.status == 65 && short.errors.contains("password"), "\(short.errors)")
            #expect(try await run(["end-sessions", "grace"]).output == "Ended 0 sessions of 'grace'.\n")
            #expect(try await run(["unlink-user", "grace"]).output.hasPrefix("Removed 0 links of 'grace'"))
            #expect(try await run(["delete-user", "grace"]).status == 0)
            let last = try await run(["delete-user", "ada"])
            #expect(last.status == 65 && last.errors.contains("last administrator"))
            for command in ["delete-user", "end-sessions", "unlink-user"] {
                let unknown = try await run([command, "grace"])
                #expect(unknown.status == 66 && unknown.errors.contains("'grace'"))
            }
            server.signal(SIGTERM)
            #expect(await server.outcome().status == 0)
        }
    }

    @Test func `a database that was never migrated is refused with the next step`() async throws {
        try await withFreshHome { home in
            let path = home + "/empty.sqlite"
            try Data().write(to: URL(filePath: path))
            let list = await (try ServerProgram(["list-users", "--database", "sqlite:\(path)"], home: home)).outcome()
            #expect(list.status == 73 && list.errors.contains("'migrate'"), "\(list.errors)")
            #expect(!list.errors.contains("SELECT"))
        }
    }

    @Test func `a backup beside a running server is one complete database`() async throws {
        try await withFreshHome { home in
            let server = try ServerProgram(["serve", "--port", "0"], home: home, environment: secret)
            _ = try #require(await server.errorLine(containing: "listening on"))
            let create = ["create-user", "ada", "--role", "admin", "--password-stdin"]
            #expect(await (try ServerProgram(create, home: home, input: "correct horse\n")).outcome().status == 0)
            let copy = home + "/copies/today.sqlite"
            for _ in 0..<2 {
                let backup = await (try ServerProgram(["backup", copy], home: home)).outcome()
                #expect(backup.status == 0, "\(backup.errors)")
                #expect(try files(home + "/copies") == ["today.sqlite"])
            }
            #expect(try FileManager.default.attributesOfItem(atPath: copy)[.posixPermissions] as? Int == 0o600)
            let itself = home + "/.local/share/shiftlog/server.sqlite"
            let refused = await (try ServerProgram(["backup", itself], home: home)).outcome()
            #expect(refused.status == 73 && refused.errors.contains("itself"))
            let unwritable = await (try ServerProgram(["backup", "/proc/copy.sqlite"], home: home)).outcome()
            #expect(unwritable.status == 73 && unwritable.errors.contains("/proc/copy.sqlite"))
            server.signal(SIGTERM)
            #expect(await server.outcome().status == 0)

            let users = await (try ServerProgram(["list-users", "--database", "sqlite:\(copy)"], home: home)).outcome()
            #expect(users.output.hasPrefix("ada"), "\(users.errors)")
            let start = try ServerProgram(
                ["serve", "--port", "0", "--database", "sqlite:\(copy)"], home: home, environment: secret)
            #expect(await start.errorLine(containing: "listening on") != nil)
            start.signal(SIGTERM)
            #expect(await start.outcome().status == 0)
        }
    }

    @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
    func `the server serves a fresh home, refuses a second server, and drains at its end`(signal: Int32) async throws {
        try await withFreshHome { home in
            let server = try ServerProgram(["serve", "--port", "0"], home: home, environment: secret)
            let line = try #require(await server.errorLine(containing: "listening on http://127.0.0.1:"))
            let port = try #require(line.split(separator: ":").last.flatMap { Int($0) })

            let samePort = try ServerProgram(
                ["serve", "--port", "\(port)", "--database", "sqlite:\(home)/other.db"], home: home,
                environment: secret)
            let busy = await samePort.outcome()
            #expect(busy.status == 69)
            #expect(busy.errors.contains("127.0.0.1:\(port)"))

            let sameData = await (try ServerProgram(["serve", "--port", "0"], home: home, environment: secret))
                .outcome()
            #expect(sameData.status == 73)
            #expect(sameData.errors.contains("server.sqlite"))

            let account = try ServerProgram(
                ["create-user", "ada", "--role", "member", "--password-stdin"], home: home, input: "correct horse")
            #expect(await account.outcome().status == 0)

            let directory = home + "/.local/share/shiftlog"
            #expect(try files(directory).contains("server.sqlite-wal"))
            server.signal(signal)
            let outcome = await server.outcome()
            #expect(outcome.status == 0)
            #expect(!outcome.isSignal)
            // One file has everything.
            #expect(try !files(directory).contains { $0.hasPrefix("server.sqlite-") })
        }
    }

    private func files(_ directory: String) throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: directory))
    }

    @Test(arguments: [["migrate"], ["create-user", "ada", "--role", "admin", "--password-stdin"]])
    func `a command leaves one file, also when it fails`(arguments: [String]) async throws {
        try await withFreshHome { home in
            for _ in 0..<2 {
                _ = await (try ServerProgram(arguments, home: home, input: "correct horse\n")).outcome()
                #expect(try files(home + "/.local/share/shiftlog") == ["server.sqlite"])
            }
        }
    }

    @Test func `a second server is refused through a link to the database`() async throws {
        try await withFreshHome { home in
            let first = try ServerProgram(["serve", "--port", "0"], home: home, environment: secret)
            _ = try #require(await first.errorLine(containing: "listening on"))
            let path = home + "/.local/share/shiftlog/server.sqlite"
            for (link, make) in [
                (
                    home + "/symbolic.db",
                    { try FileManager.default.createSymbolicLink(atPath: $0, withDestinationPath: path) }
                ),
                (home + "/hard.db", { try FileManager.default.linkItem(atPath: path, toPath: $0) }),
            ] as [(String, (String) throws -> Void)] {
                try make(link)
                let second = await
                    (try ServerProgram(
                        ["serve", "--port", "0", "--database", "sqlite:\(link)"], home: home, environment: secret))
                    .outcome()
                #expect(second.status == 73 && second.errors.contains(link), "\(second.errors)")
                #expect(!FileManager.default.fileExists(atPath: link + "-wal"))
            }
            first.signal(SIGTERM)
            #expect(await first.outcome().status == 0)
        }
    }

    private struct LogLine: Decodable {
        var label: String
        var message: String
    }

    private func logLines(_ text: String) -> [LogLine] {
        text.split(separator: "\n").compactMap { try? JSONDecoder().decode(LogLine.self, from: Data($0.utf8)) }
    }

    @Test func `each subsystem of the server logs under its own label`() async throws {
        try await withFreshHome { home in
            let environment = secret.merging(["SHIFTLOG_LOG_FORMAT": "json"]) { first, _ in first }
            let server = try ServerProgram(["serve", "--port", "0"], home: home, environment: environment)
            let start = try #require(await server.errorLine(containing: "Server started and listening on"))
            let message = try #require(logLines(start).first?.message)
            let port = try #require(message.split(separator: ":").last.flatMap { Int($0) })
            var login = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(port)/v1/sessions")))
            login.httpMethod = "POST"
            login.setValue("application/json", forHTTPHeaderField: "Content-Type")
            login.httpBody = Data(#"{"username":"ada","password":"wrong horse"}"#.utf8)
            let (_, response) = try await URLSession.shared.data(for: login)
            #expect((response as? HTTPURLResponse)?.statusCode == 401)
            server.signal(SIGTERM)
            let outcome = await server.outcome()
            let labels = Set(logLines(start + "\n" + outcome.errors).map(\.label))
            let expected: Set = ["shiftlog-server", "shiftlog-server.http", "shiftlog-server.auth"]
            #expect(labels.isSuperset(of: expected), "\(labels)")
        }
    }

    @Test func `a generated secret is warned about in development`() async throws {
        try await withFreshHome { home in
            let server = try ServerProgram(
                ["serve", "--port", "0"], home: home, environment: ["SHIFTLOG_ENVIRONMENT": "development"])
            #expect(await server.errorLine(containing: "no signing secret is set") != nil)
            #expect(await server.errorLine(containing: "listening on") != nil)
            server.signal(SIGTERM)
            #expect(await server.outcome().status == 0)
        }
    }
}
