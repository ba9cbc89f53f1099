import StrataDomain
import StrataService

extension SettingsReader {
    /// The OpenID provider at which users may sign in; `nil` for none.
    func openID() throws(SettingsError) -> OpenIDOptions? {
        guard let issuer = text(.oidcIssuer) else {
            let others: [Setting] = [.oidcClientId, .oidcClientSecret, .oidcName, .oidcAccounts]
            guard let other = others.first(where: { text($0) != nil }) else { return nil }
            throw SettingsError("\(other.title) is set without \(Setting.oidcIssuer.variable); set both or neither.")
        }
        guard let clientId = text(.oidcClientId) else {
            throw SettingsError(
                "\(Setting.oidcClientId.title) is not set; write the id that the provider gave this service.")
        }
        let accounts: OpenIDOptions.Accounts? = try choice(.oidcAccounts)
        do throws(OpenIDOptionsError) {
            return try OpenIDOptions(
                issuer: issuer, clientId: clientId, clientSecret: text(.oidcClientSecret).map { Secret($0) },
                name: text(.oidcName), accounts: accounts)
        } catch {
            let setting: Setting =
                switch error {
                case .issuer: .oidcIssuer
                case .clientId: .oidcClientId
                case .name: .oidcName
                }
            throw SettingsError("\(setting.title) \(error).")
        }
    }
}
