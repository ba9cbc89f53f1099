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
        let (variable, command) = (Setting.signingSecret.variable, "\(ServerProgram.current.name) new-secret")
        guard let given else {
            guard environment == .development else {
                throw SettingsError(
                    "\(variable) is not set; '\(command)' writes one. For a trial on this machine set "
                        + "\(Setting.environment.variable)=development instead.")
            }
            return (new(), true)
        }
        do { try check(given) } catch {
            throw SettingsError("\(variable) \(error). '\(command)' writes a good one.")
        }
        return (given, false)
    }
}
