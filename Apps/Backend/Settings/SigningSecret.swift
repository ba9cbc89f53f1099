import StrataDomain
import StrataService

/// The secret that access tokens are signed with.
enum SigningSecret {
    /// The secret to sign with, and whether it was made up for this run only.
    ///
    /// - Throws: `SettingsError` naming `new-secret`, for production without one, and anywhere for one that can be guessed.
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
        if let flaw = flaw(in: given.reveal()) {
            throw SettingsError("SHIFTLOG_SIGNING_SECRET \(flaw); 'shiftlog-server new-secret' writes a good one.")
        }
        return (given, false)
    }

    /// 384 random bits in 96 hexadecimal digits.
    static func new() -> Secret {
        // The system's generator is the kernel's, made for keys.
        var generator = SystemRandomNumberGenerator()
        return Secret((0..<48).map { _ in hex(UInt8.random(in: .min ... .max, using: &generator)) }.joined())
    }

    private static func hex(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }

    /// Why `text` is no secret; the text itself is never repeated.
    private static func flaw(in text: String) -> String? {
        if text.utf8.count < SigningKeys.shortestSecret {
            return "has \(text.utf8.count) bytes, and at least \(SigningKeys.shortestSecret) are needed"
        }
        if Set(text).count < 8 { return "repeats a few characters" }
        var rest = text.lowercased().filter { $0.isLetter || $0.isNumber }
        if ["changeme", "replaceme", "placeholder"].contains(where: rest.contains) { return "is a placeholder" }
        for word in ["secret", "password", "signing", "example", "shiftlog", "default", "insecure", "key"] {
            rest = rest.replacing(word, with: "")
        }
        return rest.count < 16 ? "is a placeholder" : nil
    }
}
