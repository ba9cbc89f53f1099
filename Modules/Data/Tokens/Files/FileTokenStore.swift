import FoundationEssentials
public import StrataDomain
import StrataSystem

/// The session of one account in a JSON file that only its owner can read.
///
/// Replaced as a whole and durably; locked by a file beside it, so that any number of processes may share it. Reserve, write and
/// clear under the lock. A damaged file and one that others may read cannot be read; a write replaces and a clear removes them. A
/// symbolic link and a file of another user are refused by all three, and stay.
public struct FileTokenStore: TokenStore {
    public let place: String
    private let file: TokenFile
    private let lock: TokenLock
    private let recovery: String
    private let lockLimit: Duration
    private let clock: any Clock<Duration>

    /// Keeps the tokens in `directory/account/tokens.json`; the directories are made on the first write or lock.
    ///
    /// - Parameters:
    ///   - directory: An absolute path in the user's state directory.
    ///   - account: Name of the account or profile: no slash, not empty, no leading dot.
    ///   - recovery: The next step after a damaged file, as the end of a sentence.
    ///   - lockLimit: How long to wait for another process that holds the lock.
    ///   - clock: For the wait for the lock.
    public init(
        directory: String, account: String = "default", recovery: String = "log in again to replace it",
        lockLimit: Duration = .seconds(30), clock: any Clock<Duration> = ContinuousClock()
    ) throws(TokenStoreError) {
        guard !account.isEmpty, !account.hasPrefix("."), account.utf8.count <= 128,
            account.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x2F && $0 != 0x7F })
        else {
            throw TokenStoreError(
                "'\(account)' cannot name an account; use letters, digits, '-' and '_', and begin with none but these.")
        }
        let path = "\(directory)/\(account)/tokens.json"
        place = "file \(path)"
        file = TokenFile(path: path)
        lock = TokenLock(path: path + ".lock")
        self.recovery = recovery
        self.lockLimit = lockLimit
        self.clock = clock
    }

    public func read() async throws(TokenStoreError) -> SessionTokens? {
        do { return try await document()?.tokens() } catch let error as TokenStoreError {
            throw error
        } catch {
            throw damaged("\(error)")
        }
    }

    public func reserve() async throws(TokenStoreError) {
        let file = file
        try await runBlocking { () throws(TokenStoreError) in try file.reserve() }
    }

    /// Replaces the document, readable or not.
    public func write(_ tokens: SessionTokens) async throws(TokenStoreError) { try await write(StoredTokens(tokens)) }

    public func clear() async throws(TokenStoreError) {
        let file = file
        try await runBlocking { () throws(TokenStoreError) in try file.remove() }
    }

    /// The document of the file; `nil` when there is none.
    func document() async throws(TokenStoreError) -> StoredTokens? {
        let file = file
        guard let bytes = try await runBlocking({ () throws(TokenStoreError) in try file.read() }) else { return nil }
        do { return try StoredTokens(from: bytes) } catch { throw damaged("\(error)") }
    }

    func write(_ document: StoredTokens) async throws(TokenStoreError) {
        let file = file
        let bytes: Data
        do { bytes = try document.bytes() } catch {
            throw TokenStoreError(
                "The tokens cannot be written as JSON to '\(file.path)'; the server sent an unusable time.")
        }
        try await runBlocking { () throws(TokenStoreError) in try file.write(bytes) }
    }

    private func damaged(_ reason: String) -> TokenStoreError {
        TokenStoreError("The token file '\(file.path)' is damaged (\(reason)); \(recovery).")
    }

    /// Not re-entrant: a second `withLock` inside `body` waits for the first until the limit.
    public func withLock<Result: Sendable>(
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        try await lock.hold(waiting: lockLimit, on: clock, body)
    }
}
