import FoundationEssentials
import Glibc
import StrataDomain
import StrataNetworking
import SystemPackage

/// Who is logged in with a profile, and at which server: kept beside the tokens, without secrets.
struct Account: Codable, Sendable {
    /// The origin that issued the tokens; they are sent nowhere else.
    var server: String
    var userId: String
    var username: String
    /// Where the login put the tokens; later commands look there and nowhere else. `nil` in notes from before there was a
    /// choice: the file.
    var tokens: TokenPlace?
}

/// The file that remembers the account of a profile.
struct AccountFile: Sendable {
    private let directory: String
    private let path: String

    init(_ settings: Settings) {
        directory = "\(settings.paths.state)/accounts"
        path = "\(directory)/\(settings.profile).json"
    }

    /// - Returns: `nil` when nobody logged in.
    /// - Throws: `.storage` for a file that cannot be read or is damaged: whose rows and tokens are here is not known then.
    func read() throws(DomainError) -> Account? {
        let bytes: Data?
        do throws(UnreadableFile) { bytes = try SmallFile(path: path).read() } catch {
            throw .storage(
                "The account file '\(path)' cannot be read: \(error). Correct its path and mode, or move it away and run "
                    + "'shiftlog login'.")
        }
        do { return try bytes.map { try WireJSON.decode(Account.self, from: $0) } } catch {
            throw .storage("The account file '\(path)' is damaged (\(error)); 'shiftlog login' replaces it.")
        }
    }

    /// Changes whenever the file is written; `nil` while there is none.
    var stamp: String? {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else { return nil }
        let time = attributes[.modificationDate] as? Date
        return "\(attributes[.systemFileNumber] ?? 0) \(time?.timeIntervalSince1970 ?? 0)"
    }

    func write(_ account: Account) throws(DomainError) {
        do {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try WireJSON.encode(account).write(to: URL(filePath: path), options: .atomic)
        } catch {
            throw .storage("The account cannot be remembered in '\(path)': \(error). Free space or correct the mode.")
        }
    }

    /// Forgets the account; nothing happens when none is remembered. A folder in its place is left alone.
    func remove() throws(DomainError) {
        guard unlink(path) != 0, errno != ENOENT, errno != ENOTDIR else { return }
        throw .storage(
            "The account file '\(path)' cannot be removed: \(Errno(rawValue: errno)). Move it away, and try again.")
    }
}

/// Tokens that another server issued, or that no account is known for: not to be sent to this one.
struct ForeignTokenStore: TokenStore {
    let base: any TokenStore
    /// Whether a logout removes them: not while they belong to an account elsewhere.
    let mayClear: Bool

    var place: String { base.place }
    func read() async throws(TokenStoreError) -> SessionTokens? { nil }
    func write(_ tokens: SessionTokens) async throws(TokenStoreError) { try await base.write(tokens) }
    func clear() async throws(TokenStoreError) { if mayClear { try await base.clear() } }
    func withLock<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
        try await base.withLock(body)
    }
}
