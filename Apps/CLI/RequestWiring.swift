import FoundationEssentials
import Logging
import StrataAsyncHTTP
import StrataDomain
import StrataNetworking
import StrataTerminal
import Synchronization

/// What `request` and `fetch` work with: one client for all calls of the command, set up as its options say.
final class RequestWiring: Sendable {
    private let settings: Settings
    private let auth: AuthStyle
    private let logger: Logger
    private let transports = Mutex<[AsyncHTTPTransport]>([])

    /// - Parameter auth: For the server; no other origin sees the credential.
    init(_ settings: Settings, auth: AuthStyle, logger: Logger) {
        self.settings = settings
        self.auth = auth
        self.logger = logger
    }

    /// Runs `command` and closes its connections, however it ends.
    func run(_ command: any RequestConsoleCommand, _ console: Console) async throws {
        let result: Result<Void, any Error>
        do {
            try await command.run(tools, console)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        for transport in transports.withLock({ $0 }) { await transport.shutdown() }
        try result.get()
    }

    private var tools: RequestTools {
        RequestTools(
            makeClient: { try self.client($0) }, makeDownloader: { try self.downloader($0) },
            shownURL: { [server = settings.server] in Self.shown($0, server) },
            makeKey: { UUID().uuidString.lowercased() })
    }

    private func client(_ wishes: RequestSettings) throws -> HTTPAPIClient {
        guard !settings.isOffline else {
            throw CommandFailure(
                .unavailable, "--offline forbids to use the network. Leave it out to send the request.")
        }
        // There is no HTTP cache below this client, so nothing can be stored.
        guard wishes.cache != .onlyIfCached else {
            throw CommandFailure(
                .unavailable, "Nothing is stored for this URL, and --cache only-if-cached forbids to ask the server.")
        }
        do { return try connected(wishes) } catch let error as OptionsError {
            let about = wishes.attemptTimeout == nil ? "" : " --timeout sets the deadline of the whole call."
            throw CommandFailure(.usage, error.description + about)
        }
    }

    private func connected(_ wishes: RequestSettings) throws -> HTTPAPIClient {
        let atOnce = max(16, wishes.concurrency)
        let deadline = wishes.deadline ?? settings.deadline
        let options = try ResilienceOptions(
            deadline: deadline, attemptTimeout: wishes.attemptTimeout,
            retry: try wishes.retries.map { try RetryPolicy(attempts: $0 + 1) } ?? .standard, concurrency: atOnce,
            hedge: try wishes.hedgeAfter.map { try HedgeOptions(delay: $0) })
        let connect = max(.milliseconds(1), min(.seconds(5), options.attemptTimeout))
        let transport = AsyncHTTPTransport(
            try AsyncHTTPOptions(connectTimeout: connect, connectionsPerOrigin: atOnce))
        transports.withLock { $0.append(transport) }
        return try HTTPAPIClient(
            baseURL: settings.server, transport: transport, auth: auth, resilience: Resilience(options),
            options: ClientOptions(
                userAgent: "shiftlog/\(Version.current)", headers: ["Accept": "*/*"], addsIdempotencyKeys: true,
                // Who makes a call a hundred times wants a hundred answers.
                coalescesReads: false),
            logger: logger)
    }

    private func downloader(_ wishes: RequestSettings) throws -> any RawDownloader {
        throw CommandFailure(.software, "Downloads are not connected to anything; please report it.")
    }

    private static func shown(_ target: String, _ server: HTTPURL) -> String {
        let prefix = server.path.hasSuffix("/") ? String(server.path.dropLast()) : server.path
        guard var url = try? HTTPURL(target.hasPrefix("/") ? "\(server.origin)\(prefix)\(target)" : target) else {
            return String(target.prefix { $0 != "?" && $0 != "#" })
        }
        url.query = url.query.map(Redaction.standard.query)
        return url.description
    }
}
