import StrataDomain
import StrataService

extension SigningSecret {
    /// The signing secret, and whether it was generated for this run only.
    ///
    /// - Throws: `SettingsError` that names `new-secret`, in production without a secret, and for a secret that can be
    /// guessed.
    static func resolve(
        _ given: Secret?, in environment: Settings.Environment
    ) throws(SettingsError) -> (secret: Secret, isEphemeral: Bool) {
        guard let given else {
            guard environment == .development else {
                throw SettingsError(
                    "SHIFTLOG_SIGNING_SECRET is not set; 'shiftlog-server new-secret' writes one. For a trial on this "
                        + "machine set SHIFTLOG_ENVIRONMENT=development instead.")
            }
            return (new(), true)
        }
        do { try check(given) } catch {
            throw SettingsError("SHIFTLOG_SIGNING_SECRET \(error). 'shiftlog-server new-secret' writes a good one.")
        }
        return (given, false)
    }
}
