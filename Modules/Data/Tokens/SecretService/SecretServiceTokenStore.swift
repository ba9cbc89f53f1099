import FoundationEssentials
public import StrataDomain

/// Tokens of one account in the keyring of the session, through the program `secret-tool`.
///
/// The keyring has no lock between processes, so a file beside the other state serves as one. A failure of the keyring is an
/// error; the tokens are not stored in another place.
public struct SecretServiceTokenStore: TokenStore {
    public let place: String
    private let tool: SecretTool
    private let item: SecretTool.Item
    private let lock: TokenLock
    private let lockLimit: Duration
    private let clock: any Clock<Duration>
    private let recovery: String

    /// - Parameters:
    ///   - service: Name of the program, an attribute of the item.
    ///   - account: Name of the account, the other attribute; the two name one item of the keyring.
    ///   - lockPath: An absolute path of a file that serves as the lock and never holds anything.
    ///   - environment: Names the program and the session bus; the program gets a part of it.
    ///   - recovery: The next step after a damaged item, as the end of a sentence.
    ///   - advice: The next step when the keyring cannot be used, as the end of a sentence.
    ///   - limit: How long one call of the program may take, a person typing the keyring's password included.
    ///   - lockLimit: How long to wait for another process that holds the lock.
    ///   - clock: For the wait for the lock.
    /// - Throws: When there is no program or no session bus. Fast: the keyring is not asked.
    public init(
        service: String, account: String, lockPath: String, environment: [String: String],
        recovery: String = "log in again to replace it", advice: String = "keep the tokens elsewhere",
        limit: Duration = .seconds(20), lockLimit: Duration = .seconds(30),
        clock: any Clock<Duration> = ContinuousClock()
    ) throws(TokenStoreError) {
        guard !service.isEmpty, !account.isEmpty, !(service + account).utf8.contains(0) else {
            throw TokenStoreError("'\(service)' and '\(account)' cannot name an item of the keyring; use plain words.")
        }
        tool = try SecretTool(environment: environment, limit: limit, advice: advice)
        item = SecretTool.Item(service: service, account: account)
        place = "keyring (Secret Service), service '\(service)', account '\(account)'"
        lock = TokenLock(path: lockPath)
        self.lockLimit = lockLimit
        self.clock = clock
        self.recovery = recovery
    }

    /// Keeps, reads and removes a trial item.
    ///
    /// - Throws: Why the keyring cannot keep tokens now: not running, locked, not answering.
    public func probe() async throws(TokenStoreError) {
        let trial = SecretTool.Item(service: item.service, account: "\(item.account) (trial)")
        let word = Data("trial".utf8)
        try await tool.store(word, as: trial, label: "\(item.service) (trial)")
        let read = try await tool.lookup(trial)
        try await tool.clear(trial)
        guard read == word else {
            throw TokenStoreError("The keyring gave back something else than it was given; \(recovery).")
        }
    }

    public func read() async throws(TokenStoreError) -> SessionTokens? {
        guard let bytes = try await tool.lookup(item) else { return nil }
        do { return try StoredTokens(from: bytes).tokens() } catch {
            throw TokenStoreError("The item '\(item.account)' of the \(place) is damaged (\(error)); \(recovery).")
        }
    }

    public func write(_ tokens: SessionTokens) async throws(TokenStoreError) {
        let bytes: Data
        do { bytes = try StoredTokens(tokens).bytes() } catch {
            throw TokenStoreError("The tokens cannot be written as JSON; the server sent an unusable time.")
        }
        try await tool.store(bytes, as: item, label: "Session of \(item.service)")
    }

    public func clear() async throws(TokenStoreError) { try await tool.clear(item) }

    /// Not re-entrant: a second `withLock` inside `body` waits for the first until the limit.
    public func withLock<Result: Sendable>(
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        try await lock.hold(waiting: lockLimit, on: clock, body)
    }
}
