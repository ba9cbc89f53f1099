import FoundationEssentials
import StrataDomain
import StrataTerminal
import StrataTokens

/// What a login is told about the place of the tokens, in `SHIFTLOG_TOKEN_STORE`.
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

/// Where the session of a profile is kept.
struct TokenPlaces: Sendable {
    let settings: Settings
    let console: Console

    private var directory: String { "\(settings.paths.state)/tokens" }
    private static let recovery = "'shiftlog login' replaces it"

    /// The session where the last login put it.
    func store() throws(TokenStoreError) -> ProfileTokenStore {
        try store(login: nil, advice: "log in again with SHIFTLOG_TOKEN_STORE=file")
    }

    /// The same, for a login: a new session goes to the keyring, after a trial, or to the file.
    ///
    /// Without a program or a session bus the decision for the file takes no time.
    ///
    /// - Throws: When the keyring was asked for by name and cannot be used.
    func storeForLogin() async throws(TokenStoreError) -> ProfileTokenStore {
        try store(login: try await choice(), advice: "set SHIFTLOG_TOKEN_STORE=file")
    }

    private func choice() async throws(TokenStoreError) -> ProfileTokenStore.Place {
        if settings.tokenStore == .file { return .file }
        let isDemanded = settings.tokenStore == .secretService
        let keyring: SecretServiceTokenStore
        do throws(TokenStoreError) { keyring = try self.keyring(0, "set SHIFTLOG_TOKEN_STORE=file") } catch {
            if isDemanded { throw error }
            return .file
        }
        do throws(TokenStoreError) { try await keyring.probe() } catch {
            if isDemanded { throw error }
            console.warn("The tokens go to a file: \(error)")
            return .file
        }
        return .keyring
    }

    /// - Parameter advice: What to do without the keyring, as the end of a sentence.
    private func store(
        login: ProfileTokenStore.Place?, advice: String
    ) throws(TokenStoreError) -> ProfileTokenStore {
        ProfileTokenStore(
            file: try FileTokenStore(directory: directory, account: settings.profile, recovery: Self.recovery),
            keyring: { item throws(TokenStoreError) in try keyring(item, advice) },
            note: "\(settings.paths.state)/accounts/\(settings.profile).json", login: login,
            warn: { console.warn($0) })
    }

    private func keyring(_ item: Int, _ advice: String) throws(TokenStoreError) -> SecretServiceTokenStore {
        // Several state directories are several accounts, as they are with files.
        try SecretServiceTokenStore(
            service: "shiftlog",
            account: "\(settings.profile) \(settings.paths.state)" + (item == 0 ? "" : " (\(item + 1))"),
            lockPath: "\(directory)/\(settings.profile)/tokens.json.lock", environment: settings.environment,
            recovery: Self.recovery, advice: advice)
    }
}
