import StrataCaching
import StrataConcurrency
public import StrataDomain
import StrataNetworking
import StrataOffline
public import StrataTerminal
public import StrataTokens

/// Connects the objects of one command. Connections and databases are opened on first use.
///
/// A feature gets its tools from here, in its row among the commands of the program.
public struct Wiring: Sendable {
    /// The flags, the environment and the file.
    public let settings: Settings
    /// Where the command reads and prints.
    public let console: Console
    /// The current account; `nil` also if the session cannot be read, which every use of `tokens` then reports.
    public let account: SessionAccount?
    /// The stored session of the profile, of any account.
    public let profile: ProfileTokenStore
    /// The session of `account`; for a login the store of the new session.
    public let tokens: any TokenStore
    /// The clients of the server.
    public let network: Network
    /// The caches of the profile.
    public let caches: ProfileCaches
    let logs: Logs

    /// - Parameter isLogin: Whether the command replaces the stored tokens and sends none of them.
    init(_ settings: Settings, _ console: Console, isLogin: Bool, logs: Logs) async throws {
        self.settings = settings
        self.console = console
        self.logs = logs
        let places = TokenStores(settings: settings, console: console)
        do throws(TokenStoreError) {
            profile = try await isLogin ? places.storeForLogin() : places.store()
        } catch {
            throw DomainError.storage(error.description)
        }
        // Tokens of another origin are not sent; a login replaces them.
        let stored = try? await profile.session()
        let isOurs = stored?.account?.server == "\(settings.server.origin)"
        account = isOurs && !isLogin ? stored?.account : nil
        tokens = isLogin ? profile : AccountTokenStore(profile, account: account, place: stored?.place)
        if !isOurs, !isLogin, let other = stored?.account {
            console.warn(
                "Profile '\(settings.profile)' is logged in at \(other.server), whose tokens are not sent to "
                    + "\(settings.server.origin). Log in here, or use --profile.")
        }
        let links = Lazy { SystemConnectivity.monitor(for: settings.server.origin) }
        caches = ProfileCaches(settings, account: account, tokens: tokens, links: links, logs: logs)
        network = Network(settings, tokens: tokens, writes: caches.writesOfTheClient, links: links, logs: logs)
    }

    /// Waits 200 ms for reads in the background, then cancels them, or closes the connections if nothing is left.
    ///
    /// A refresh of the tokens, which begins only after the server has refused one, has another second: cut off, it would end the
    /// session. Connections of cancelled reads end with the process.
    func close() async {
        guard await !caches.drain(upTo: .milliseconds(200)) else { return await network.close() }
        await network.finishRefresh(within: Self.refreshGrace)
        caches.cancelBackground()
        if !console.isJSON, !Task.isCancelled {
            console.note("The server has not answered yet; --refresh waits for it.")
        }
    }

    private static let refreshGrace = Duration.seconds(1)

    /// For any URL: the session's token is sent to the server only.
    func requests() async -> RequestClients {
        let isLoggedOut = await isLoggedOut
        return RequestClients(
            settings, auth: isLoggedOut ? .none : .bearer(network.provider),
            silentAuth: isLoggedOut ? .none : .bearer(StoredSession(store: tokens)), caches: caches,
            finishRefresh: { [network] in await network.finishRefresh(within: Self.refreshGrace) },
            logger: logs(.network))
    }

    /// If the session cannot be read, the call fails instead of being sent without credentials.
    private var isLoggedOut: Bool {
        get async {
            guard account == nil else { return false }
            do { return try await tokens.read() == nil } catch { return false }
        }
    }

    /// For `status` and `doctor`.
    var status: StatusTools {
        StatusTools(
            server: "\(settings.server.origin)", profile: settings.profile, username: account?.username, tokens: tokens,
            client: network.open, cache: caches.values, dataName: settings.program.localData,
            data: settings.program.synchronised.isEmpty ? nil : localData)
    }

    private func localData() async throws -> LocalDataTools {
        let local = try await offline()
        var tools = LocalDataTools(
            path: local.database.path, sync: local.engine,
            countRemoteChanges: { try await local.attempt.remoteChangeCount() },
            check: {
                try await local.database.check()
                if let obstacle = local.database.obstacle { throw obstacle }
            })
        if account != nil, !settings.isOffline {
            tools.verify = { () async throws(DomainError) in try await local.attempt.verify() }
        }
        return tools
    }

    var proxy: CacheProxy { CacheProxy(settings: settings, logger: logs(.httpCache)) }

    /// Opens the offline store of this profile, for the current account.
    ///
    /// - Throws: `.storage` if it cannot be opened, `.forbidden` if it holds unsent writes of another account.
    public func offline() async throws(DomainError) -> LocalData {
        try await LocalData(self, logger: logs(.offline))
    }
}
