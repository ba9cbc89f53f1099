import StrataDomain
import StrataTerminal
import StrataTokens

/// The token stores of a profile.
struct TokenStores: Sendable {
    let settings: Settings
    let console: Console

    private var directory: String { "\(settings.paths.state)/tokens" }
    private var recovery: String { "'\(settings.program.name) login' replaces it" }
    private var fileSetting: String { "\(settings.program.variable("TOKEN_STORE"))=file" }

    /// The store that the last login selected.
    func store() throws(TokenStoreError) -> ProfileTokenStore {
        try store(login: nil, advice: "log in again with \(fileSetting)")
    }

    /// The store for a login: the keyring, if a test write succeeds, or the file.
    ///
    /// Without `secret-tool` or a session bus it selects the file at once.
    ///
    /// - Throws: If the keyring was selected explicitly and cannot be used.
    func storeForLogin() async throws(TokenStoreError) -> ProfileTokenStore {
        try store(login: try await choice(), advice: "set \(fileSetting)")
    }

    private func choice() async throws(TokenStoreError) -> ProfileTokenStore.Place {
        if settings.tokenStore == .file { return .file }
        let isDemanded = settings.tokenStore == .secretService
        let keyring: SecretServiceTokenStore
        do throws(TokenStoreError) { keyring = try self.keyring(0, "set \(fileSetting)") } catch {
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

    /// - Parameter advice: The next step without a keyring, as the end of a sentence.
    private func store(
        login: ProfileTokenStore.Place?, advice: String
    ) throws(TokenStoreError) -> ProfileTokenStore {
        ProfileTokenStore(
            file: try FileTokenStore(directory: directory, account: settings.profile, recovery: recovery),
            keyring: { item throws(TokenStoreError) in try keyring(item, advice) },
            login: login, warn: { console.warn($0) })
    }

    private func keyring(_ item: Int, _ advice: String) throws(TokenStoreError) -> SecretServiceTokenStore {
        // Each state directory has its own item in the keyring, as it has its own file.
        try SecretServiceTokenStore(
            service: settings.program.name,
            account: "\(settings.profile) \(settings.paths.state)" + (item == 0 ? "" : " (\(item + 1))"),
            lockPath: "\(directory)/\(settings.profile)/tokens.json.lock", environment: settings.environment,
            recovery: recovery, advice: advice)
    }
}
