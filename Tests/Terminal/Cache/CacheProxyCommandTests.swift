import ArgumentParser
import StrataConcurrency
import StrataDomain
import StrataTerminal
import StrataTesting
import Testing

/// The options of `cache-proxy`.
struct CacheProxyCommandTests {
    /// The command, as the app lists it.
    struct Root: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "shiftlog", subcommands: [CacheProxyCommand.self])
    }

    static let origin = ["--origin", "http://h:3000"]

    /// The configuration of the command, and its output when the proxy listens.
    private func run(_ words: [String]) async throws -> (settings: ProxySettings?, errors: String, output: String) {
        let words = GlobalOptions.movedToTheEnd(["cache-proxy"] + words)
        let command = try #require(try Root.parseAsRoot(words) as? CacheProxyCommand)
        let (console, output, errors) = Console.inMemory()
        let seen = Mutex<ProxySettings?>(nil)
        let tools = ProxyTools { settings, ready in
            seen.withLock { $0 = settings }
            ready("http://127.0.0.1:4711")
        }
        try await command.run(tools, console)
        return (seen.withLock { $0 }, errors.text, output.text)
    }

    private func refusal(_ words: [String]) -> (code: Int32, text: String)? {
        do {
            _ = try Root.parseAsRoot(["cache-proxy"] + words)
            return nil
        } catch {
            return (Root.exitCode(for: error).rawValue, Root.fullMessage(for: error))
        }
    }

    @Test func `the default is a private cache in both tiers without retries`() async throws {
        let run = try await run(["--listen", "127.0.0.1:0"] + Self.origin)
        let settings = try #require(run.settings)
        #expect(settings.host == "127.0.0.1" && settings.port == 0 && settings.origin == "http://h:3000")
        #expect(settings.mode == .private && settings.tier == .both && settings.retries == 0)
    }

    @Test func `the address is printed on standard error only`() async throws {
        let run = try await run(["--listen", "127.0.0.1:0"] + Self.origin)
        #expect(run.errors.contains("listening on http://127.0.0.1:4711\n"), "\(run.errors)")
        #expect(run.output.isEmpty)
    }

    @Test func `every option reaches the server`() async throws {
        let run = try await run([
            "--listen", "[::1]:8080", "--origin", "HTTPS://[::1]:3000/", "--mode", "shared", "--tier", "disk",
            "--retries", "19",
        ])
        let settings = try #require(run.settings)
        #expect(settings.host == "::1" && settings.port == 8080 && settings.origin == "HTTPS://[::1]:3000/")
        #expect(settings.mode == .shared && settings.tier == .disk && settings.retries == 19)
    }

    @Test(arguments: [("localhost:65535", "localhost", 65_535), ("0.0.0.0:1", "0.0.0.0", 1), ("[::]:0", "::", 0)])
    func `an address is a host and a port`(listen: String, host: String, port: Int) async throws {
        let settings = try #require(try await run(["--listen", listen] + Self.origin).settings)
        #expect(settings.host == host && settings.port == port)
    }

    @Test(arguments: [
        ("127.0.0.1", "--listen '127.0.0.1' has no port. Write --listen 127.0.0.1:8080."),
        ("", "has no port"), ("h:", "'' is no port. Use 1 to 65535, or 0 for a free one."),
        ("h:65536", "'65536' is no port"), ("h:+1", "'+1' is no port"), ("h:99999999999999999999", "is no port"),
        ("h:٣", "is no port"), (":8080", "names no host. Write --listen 127.0.0.1:8080 or [::1]:8080."),
        ("[]:8080", "names no host"), ("::1:8080", "names no host"), ("a b:8080", "names no host"),
        ("http://h:8080", "names no host"), ("u@h:8080", "names no host"), ("h\u{1B}[2J", "has no port"),
    ])
    func `an ambiguous address is a usage error with the reason`(listen: String, text: String) throws {
        let failure = try #require(refusal(["--listen", listen] + Self.origin))
        #expect(failure.code == ExitStatus.usage.rawValue)
        #expect(failure.text.contains(text), "\(failure.text)")
        #expect(!failure.text.contains("\u{1B}"))
    }

    @Test(arguments: [
        ("h:3000", "--origin has no scheme. Write --origin http://HOST:PORT."), ("", "--origin has no scheme"),
        ("ftp://h", "--origin has no scheme"),
        ("http://user:s3cret@h", "--origin takes no user name or password"),
        ("http://h/s3cret", "--origin is scheme, host and port alone; paths come with the requests."),
        ("http://h?s3cret", "--origin is scheme, host and port alone"),
        ("http://h?", "--origin is scheme, host and port alone"),
        ("http://h#s3cret", "--origin is scheme, host and port alone"),
    ])
    func `an origin is scheme, host and port, and its secrets are not shown`(origin: String, text: String) throws {
        let failure = try #require(refusal(["--listen", "h:1", "--origin", origin]))
        #expect(failure.code == ExitStatus.usage.rawValue)
        #expect(failure.text.contains(text), "\(failure.text)")
        #expect(!failure.text.contains("s3cret"), "\(failure.text)")
    }

    @Test(arguments: [
        ([], "--listen"), (["--listen", "h:1"], "--origin"), (["--listen"], "--listen"),
        (["--listen", "h:1"] + origin + ["--mode", "public"], "public"),
        (["--listen", "h:1"] + origin + ["--tier", "tape"], "tape"),
        (["--listen", "h:1"] + origin + ["--retries", "20"], "--retries must be 0 to 19; it is 20."),
        (["--listen", "h:1"] + origin + ["--retries=-1"], "it is -1."),
        (["--listen", "h:1"] + origin + ["--offline"], "network, which --offline forbids"),
        (["--listen", "h:1"] + origin + ["more"], "Unexpected argument"),
    ])
    func `an impossible combination of options is a usage error`(words: [String], text: String) throws {
        let failure = try #require(refusal(words))
        #expect(failure.code == ExitStatus.usage.rawValue)
        #expect(failure.text.contains(text), "\(failure.text)")
    }
}
