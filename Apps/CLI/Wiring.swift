import Logging
import StrataCaching
import StrataDomain
import StrataNetworking
import StrataTerminal
import StrataTokens

/// Where the objects of one command meet. Connections and databases are opened when a command needs them.
///
/// A feature takes from here what it works with, in its row of `CommandSet.all`.
struct Wiring: Sendable {
    let settings: Settings
    let console: Console
    let account: Account?
    let accountFile: AccountFile
    let tokens: any TokenStore
    /// Where `tokens` are; after a login, where it put them.
    let tokenPlace: TokenPlace
    let network: Network
    let caches: CacheWiring
    private let logger: Logger

    /// - Parameter isLogin: The command replaces the stored tokens and sends none of them.
    init(_ settings: Settings, _ console: Console, isLogin: Bool, logger: Logger) async throws {
        self.settings = settings
        self.console = console
        self.logger = logger
        accountFile = AccountFile(settings)
        // A login replaces the note, so that it need not be readable.
        let remembered = isLogin ? try? accountFile.read() : try accountFile.read()
        // Tokens of an unknown origin are nobody's: they are not sent either, and a login replaces them.
        let isOurs = remembered?.server == "\(settings.server.origin)"
        account = isOurs ? remembered : nil
        if !isOurs, !isLogin, let remembered {
            console.warn(
                "Profile '\(settings.profile)' is logged in at \(remembered.server), whose tokens are not sent to "
                    + "\(settings.server.origin). Log in here, or use --profile.")
        }
        let places = TokenPlaces(settings: settings)
        do throws(TokenStoreError) {
            tokenPlace = try await isLogin ? places.choose(console) : remembered?.tokens ?? .file
            let store = try places.store(at: tokenPlace)
            tokens = isOurs || isLogin ? store : ForeignTokenStore(base: store, mayClear: remembered == nil)
        } catch {
            throw DomainError.storage(error.description)
        }
        caches = CacheWiring(settings, account: account, tokens: tokens, logger: logger)
        network = Network(settings, tokens: tokens, writes: caches.writesOfTheClient, logger: logger)
    }

    /// Lets refreshes behind the answer finish for a moment, then closes the connections.
    func close() async {
        await caches.reader.drain(upTo: .seconds(2))
        await network.close()
    }

    /// For any URL: the session's token goes to the server, nothing of ours anywhere else.
    var requests: RequestWiring {
        RequestWiring(
            settings, auth: account == nil ? .none : .bearer(network.provider),
            silentAuth: account == nil ? .none : .bearer(StoredSession(store: tokens)), caches: caches, logger: logger)
    }

    var proxy: ProxyWiring { ProxyWiring(settings: settings, logger: logger) }

    /// Opens what this profile keeps here, as its owner.
    func offline() async throws(DomainError) -> OfflineWiring {
        try await OfflineWiring(self, logger: logger)
    }
}
