import StrataDomain
import StrataService

/// The secret that signs access tokens.
enum SigningSecret {
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
        let strength = SecretStrength(of: given.reveal())
        guard strength.isEnough else {
            throw SettingsError(
                "SHIFTLOG_SIGNING_SECRET has \(strength.bytes) bytes and about \(strength.bits) bits of entropy; at least "
                    + "\(SigningKeys.shortestSecret) bytes and \(SecretStrength.enough) bits are needed, since guesses can be "
                    + "checked against the public keys. 'shiftlog-server new-secret' writes a good one.")
        }
        return (given, false)
    }

    /// 384 random bits in 96 hexadecimal digits.
    static func new() -> Secret {
        // `SystemRandomNumberGenerator` uses the kernel's generator, which is made for keys.
        var generator = SystemRandomNumberGenerator()
        return Secret((0..<48).map { _ in UInt8.random(in: .min ... .max, using: &generator) }.hex)
    }
}
