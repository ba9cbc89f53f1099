import FoundationEssentials
import StrataDomain
import StrataTerminal
import StrataTokens

/// What keeps the tokens of a profile.
enum TokenPlace: String, Codable, Sendable {
    case file
    case secretService = "secret-service"
}

/// What a login is told about the place, in `SHIFTLOG_TOKEN_STORE`.
enum TokenPlaceChoice: String, CaseIterable, Sendable {
    /// The keyring where it can be reached, else the file.
    case auto
    case file
    case secretService = "secret-service"

    init(setting: String?) throws(SettingsError) {
        guard let setting else {
            self = .auto
            return
        }
        guard let choice = TokenPlaceChoice(rawValue: setting) else {
            let known = Self.allCases.map(\.rawValue).joined(separator: ", ")
            throw SettingsError("The token store '\(setting)' is not known; write one of: \(known).")
        }
        self = choice
    }
}

/// The token stores of one profile.
struct TokenPlaces: Sendable {
    let settings: Settings

    private var directory: String { "\(settings.paths.state)/tokens" }
    private static let recovery = "'shiftlog login' replaces it"

    /// The store at `place`; one that cannot be used says so on every call, and nothing takes its part.
    func store(at place: TokenPlace) throws(TokenStoreError) -> any TokenStore {
        switch place {
        case .file:
            return try FileTokenStore(directory: directory, account: settings.profile, recovery: Self.recovery)
        case .secretService:
            do throws(TokenStoreError) {
                return try keyring("log in again with SHIFTLOG_TOKEN_STORE=file")
            } catch {
                return UnusableTokenStore(place: "keyring (Secret Service), not reachable", reason: error)
            }
        }
    }

    /// Where a login puts the tokens, after a trial.
    ///
    /// Without a program or a session bus the decision for the file takes no time.
    ///
    /// - Throws: When the keyring was asked for by name and cannot be used.
    func choose(_ console: Console) async throws(TokenStoreError) -> TokenPlace {
        if settings.tokenStore == .file { return .file }
        let isDemanded = settings.tokenStore == .secretService
        let keyring: SecretServiceTokenStore
        do throws(TokenStoreError) { keyring = try self.keyring("set SHIFTLOG_TOKEN_STORE=file") } catch {
            if isDemanded { throw error }
            return .file
        }
        do throws(TokenStoreError) { try await keyring.probe() } catch {
            if isDemanded { throw error }
            console.warn("The tokens go to a file: \(error)")
            return .file
        }
        return .secretService
    }

    /// - Parameter advice: What to do without it, as the end of a sentence.
    private func keyring(_ advice: String) throws(TokenStoreError) -> SecretServiceTokenStore {
        // Several state directories are several accounts, as they are with files.
        try SecretServiceTokenStore(
            service: "shiftlog", account: "\(settings.profile) \(settings.paths.state)",
            lockPath: "\(directory)/\(settings.profile)/tokens.json.lock", environment: settings.environment,
            recovery: Self.recovery, advice: advice)
    }
}

/// A store that was chosen and cannot be used now.
struct UnusableTokenStore: TokenStore {
    let place: String
    let reason: TokenStoreError

    func read() async throws(TokenStoreError) -> SessionTokens? { throw reason }
    func write(_ tokens: SessionTokens) async throws(TokenStoreError) { throw reason }
    func clear() async throws(TokenStoreError) { throw reason }
    func withLock<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result { throw reason }
}
