import FoundationEssentials
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

    /// - Returns: `nil` when nobody logged in, or when the file is damaged: logging in again writes it anew.
    func read() -> Account? {
        guard let bytes = try? contents() else { return nil }
        return try? WireJSON.decode(Account.self, from: bytes)
    }

    /// Foundation's way to read a file takes longer than all the rest of it.
    private func contents() throws -> Data {
        let file = try FileDescriptor.open(path, .readOnly)
        return try file.closeAfter {
            var bytes = Data(count: Self.mostBytes)
            let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0) }
            return bytes.prefix(count)
        }
    }

    private static let mostBytes = 16 << 10

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

    /// Forgets the account; nothing happens when none is remembered.
    func remove() throws(DomainError) {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch let error as CocoaError where error.code == .fileNoSuchFile {
            return
        } catch {
            throw .storage("The account is still remembered in '\(path)': \(error). Remove the file.")
        }
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
