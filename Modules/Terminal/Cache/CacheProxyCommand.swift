public import ArgumentParser
import StrataDomain
import StrataSystem

extension ProxySettings.Mode: ExpressibleByArgument {}
extension ProxySettings.Tier: ExpressibleByArgument {}

/// `cache-proxy --listen HOST:PORT --origin URL`.
public struct CacheProxyCommand: ConsoleCommand {
    public static let configuration = CommandConfiguration(
        commandName: "cache-proxy", abstract: "Serve an origin through the HTTP cache.",
        discussion: """
            A server for tests and inspection: every request goes through the cache of this program to the origin. Only \
            fields of one connection are changed. Redirects are not followed, bodies are not decoded, and nothing is \
            retried without --retries. An unreachable origin gives 502, a silent one 504, each with an explanation.

            'listening on http://HOST:PORT' on standard error means that it is ready. SIGINT or SIGTERM finishes the \
            requests in flight and exits with 0; a second one exits at once. It has no access control.

            Exit codes: 64 for a malformed address, 69 for an address that cannot be used.

            Example: \(ProgramName.current) cache-proxy --listen 127.0.0.1:8081 --origin https://example.org
            """)

    /// `--listen`: address and port of the proxy.
    @Option(
        help: ArgumentHelp(
            "Address to listen on, such as 127.0.0.1:8080; port 0 selects a free one.", valueName: "host:port"))
    public var listen: String
    /// `--origin`: where misses go.
    @Option(help: ArgumentHelp("The origin: http://HOST:PORT or https://HOST:PORT.", valueName: "url"))
    public var origin: String
    /// `--mode`: for one user, or for many.
    @Option(help: ArgumentHelp("Kind of cache (RFC 9111): private or shared.", valueName: "mode"))
    public var mode: ProxySettings.Mode = .private
    /// `--tier`: where responses are kept.
    @Option(help: ArgumentHelp("Where responses are stored: memory, disk or both.", valueName: "tier"))
    public var tier: ProxySettings.Tier = .both
    /// `--retries`: how often a failed request is repeated.
    @Option(help: ArgumentHelp("Retries after the first attempt, 0 to 19.", valueName: "n"))
    public var retries: Int = 0
    @OptionGroup public var options: GlobalOptions

    public init() {}

    public func validate() throws {
        _ = try place()
        try checkOrigin()
        try RequestArguments.check(retries, "--retries", in: 0...19)
        if options.offline {
            throw ValidationError("A proxy needs the network, which --offline forbids. Leave it out.")
        }
    }

    public var timeLimit: Duration? { nil }

    public func run(_ tools: ProxyTools, _ console: Console) async throws {
        let (host, port) = try place()
        let settings = ProxySettings(
            host: host, port: port, origin: origin, mode: mode, tier: tier, retries: retries)
        try await tools.serve(settings) { console.note("listening on \($0)") }
    }

    /// Host and port of `--listen`; an IPv6 address stands in brackets.
    private func place() throws -> (host: String, port: Int) {
        let shown = SafeText.oneLine(listen)
        guard let colon = listen.lastIndex(of: ":") else {
            throw ValidationError("--listen '\(shown)' has no port. Write --listen 127.0.0.1:8080.")
        }
        let digits = listen[listen.index(after: colon)...]
        guard digits.utf8.allSatisfy({ (48...57).contains($0) }), let port = Int(digits), port <= 65_535 else {
            throw ValidationError(
                "'\(SafeText.oneLine(String(digits)))' is no port. Use 1 to 65535, or 0 for a free one.")
        }
        var host = listen[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        let isPlain =
            !host.isEmpty && host.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"/@[]?#".utf8.contains($0) }
        guard isPlain, !host.contains(":") || listen.hasPrefix("[") else {
            throw ValidationError("--listen '\(shown)' names no host. Write --listen 127.0.0.1:8080 or [::1]:8080.")
        }
        return (String(host), port)
    }

    private func checkOrigin() throws {
        let lowered = origin.lowercased()
        guard let scheme = ["http://", "https://"].first(where: lowered.hasPrefix) else {
            throw ValidationError("--origin has no scheme. Write --origin http://HOST:PORT.")
        }
        guard !origin.contains("@") else {
            throw ValidationError("--origin takes no user name or password. Write --origin http://HOST:PORT.")
        }
        let rest = origin.dropFirst(scheme.count)
        guard rest.drop(while: { $0 != "/" && $0 != "?" && $0 != "#" }).dropFirst().isEmpty, !rest.hasSuffix("?") else {
            throw ValidationError("--origin is scheme, host and port alone; paths come with the requests.")
        }
    }
}
