import FoundationEssentials
import Logging
import StrataAsyncHTTP
import StrataCaching
import StrataConcurrency
import StrataDomain
import StrataHTTPCache
import StrataNetworking
import StrataTerminal

/// The tools of `request` and `fetch`: one client for all calls of a command, configured by its options.
final class RequestClients: Sendable {
    private let settings: Settings
    private let auth: AuthStyle
    private let silentAuth: AuthStyle
    private let caches: ProfileCaches
    private let finishRefresh: @Sendable () async -> Void
    private let logger: Logger
    private let opened = Mutex<(transports: [AsyncHTTPTransport], caches: [HTTPCacheInterceptor])>(([], []))

    /// - Parameters:
    ///   - auth: For the server; no other origin receives the credential.
    ///   - silentAuth: The same account, for calls that are not sent and must not refresh the token.
    ///   - finishRefresh: Waits for a refresh of the tokens, before background revalidations are cancelled.
    init(
        _ settings: Settings, auth: AuthStyle, silentAuth: AuthStyle, caches: ProfileCaches,
        finishRefresh: @escaping @Sendable () async -> Void, logger: Logger
    ) {
        self.settings = settings
        self.auth = auth
        self.silentAuth = silentAuth
        self.caches = caches
        self.finishRefresh = finishRefresh
        self.logger = logger
    }

    /// Runs `command`, waits up to 200 ms for background revalidations, and closes the connections, also after a failure.
    /// Revalidations that take longer are cancelled, and their connections end with the process.
    func run(_ command: any ConsoleCommand, _ console: Console) async throws {
        let begun = ContinuousClock.now
        let result: Result<Void, any Error>
        do {
            try await command.run(with: tools, console)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        let (transports, caches) = opened.withLock { $0 }
        // In a separate task: an interrupt of the command does not cancel what is being stored.
        let limit = Duration.milliseconds(200)
        let left = command.options.deadline.map { min(limit, $0 - (.now - begun)) } ?? limit
        let isIdle = await Task {
            var isIdle = true
            for cache in caches { isIdle = await cache.drain(upTo: left) && isIdle }
            return isIdle
        }.value
        if isIdle {
            for transport in transports { await transport.shutdown() }
        } else {
            await finishRefresh()
            for cache in caches { cache.cancelBackground() }
        }
        try result.get()
    }

    private var tools: RequestTools {
        RequestTools(
            makeClient: { try self.client($0) }, makeDownloader: { try self.downloader($0) },
            shownURL: { [server = settings.server] in server.redacted($0) }, curl: { try self.curl($0, $1) },
            makeKey: { UUID.random().text })
    }

    private func client(_ wishes: RequestSettings) throws -> any RawClient {
        let cache = caches.interceptor(settings.isOffline ? .onlyIfCached : wishes.cache.policy)
        opened.withLock { $0.caches.append(cache) }
        var slot: [any Interceptor] = [CacheReportInterceptor(cache: HTTPCacheOptions().name), cache]
        if !settings.isOffline { slot.insert(caches.writesBesideTheClient, at: 0) }
        return try connected(wishes, cache: slot).client
    }

    private func curl(_ request: RawRequest, _ options: CallOptions) throws -> String {
        // Such a client has no transport.
        var wishes = RequestSettings()
        wishes.cache = .onlyIfCached
        let client = try connected(wishes).client
        do { return try client.curl(for: request, options: options) } catch {
            throw CommandFailure(.usage, error.reason)
        }
    }

    private func downloader(_ wishes: RequestSettings) throws -> any RawDownloader {
        guard !settings.isOffline else {
            throw CommandFailure(
                .unavailable, "--offline forbids to use the network. Leave it out to send the request.")
        }
        let (client, resilience) = try connected(wishes)
        return URLDownloads(
            downloads: ResumableDownloads(client: client, resilience: resilience),
            server: settings.server)
    }

    /// - Throws: `CommandFailure` with the reason if the options contradict each other.
    private func connected(
        _ wishes: RequestSettings, cache: [any Interceptor] = []
    ) throws -> (client: HTTPAPIClient, resilience: Resilience) {
        // Without a transport nothing can be sent.
        let isSilent = settings.isOffline || wishes.cache == .onlyIfCached
        var wishes = wishes
        if isSilent { wishes.retries = 0 }
        // A hedged request is one more concurrent call.
        let calls = wishes.concurrency * (wishes.hedgeAfter == nil ? 1 : 2)
        if calls > 1 { try OpenFiles.allow(calls: calls) }
        do {
            let options = try resilienceOptions(wishes)
            let transport: any Transport =
                isSilent
                ? NoTransport(option: settings.isOffline ? "--offline" : "--cache only-if-cached")
                : try network(options)
            let resilience = Resilience(options)
            let client = try HTTPAPIClient(
                baseURL: settings.server, transport: transport, auth: isSilent ? silentAuth : auth,
                resilience: resilience,
                options: ClientOptions(
                    userAgent: settings.program.userAgent, headers: ["Accept": "*/*"], addsIdempotencyKeys: true,
                    // --repeat sends every call.
                    coalescesReads: false, callFields: .all),
                cache: cache, logger: logger)
            return (client, resilience)
        } catch let error as NetworkError {
            throw CommandFailure(ExitStatus(DomainError(error)), error.reason)
        } catch {
            let about = wishes.attemptTimeout == nil ? "" : " --timeout sets the deadline of the whole call."
            throw CommandFailure(.usage, "\(error)\(about)")
        }
    }

    private func network(_ options: ResilienceOptions) throws(NetworkError) -> AsyncHTTPTransport {
        let transport = try settings.transport(connectTimeout: options.attemptTimeout, connections: options.concurrency)
        opened.withLock { $0.transports.append(transport) }
        return transport
    }

    private func resilienceOptions(_ wishes: RequestSettings) throws(OptionsError) -> ResilienceOptions {
        var retry = RetryPolicy.standard
        if let retries = wishes.retries { retry = try RetryPolicy(attempts: retries + 1) }
        var hedge: HedgeOptions?
        if let delay = wishes.hedgeAfter { hedge = try HedgeOptions(delay: delay) }
        return try ResilienceOptions(
            deadline: wishes.deadline ?? settings.deadline, attemptTimeout: wishes.attemptTimeout, retry: retry,
            concurrency: max(16, wishes.concurrency), hedge: hedge)
    }

}

extension HTTPURL {
    /// The absolute URL of `target`, with secrets in its query masked.
    func redacted(_ target: String) -> String {
        let text = absolute(target)
        return Redaction.standard.url((try? HTTPURL(text))?.description ?? text)
    }
}

/// Downloads by absolute URL, so that a partial file of one server is never continued from another.
private struct URLDownloads: RawDownloader {
    let downloads: ResumableDownloads
    let server: HTTPURL

    func download(
        _ request: RawRequest, _ download: DownloadRequest, options: CallOptions, events: @escaping EventSink
    ) async throws(NetworkError) -> DownloadedFile {
        var request = request
        request.url = server.absolute(request.url)
        return try await downloads.download(request, download, options: options, events: events)
    }

    func beginning(of path: String) async -> DownloadBeginning? { await downloads.beginning(of: path) }
}
