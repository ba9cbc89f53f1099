import Crypto
import FoundationEssentials
public import StrataDomain

/// A key that sender and receiver of webhooks share, in the form of Standard Webhooks 1.0: `whsec_` and 24 to 64 bytes in base64.
public struct WebhookSecret: Sendable, Hashable {
    /// For the one place that stores it or shows it to the receiver.
    public let text: Secret
    let key: Data

    private static let prefix = "whsec_"

    /// - Throws: `WebhookSecretError` for another form.
    public init(_ text: Secret) throws(WebhookSecretError) {
        let revealed = text.reveal()
        guard revealed.hasPrefix(Self.prefix),
            let key = Data(base64Encoded: String(revealed.dropFirst(Self.prefix.count))),
            (24...64).contains(key.count)
        else { throw WebhookSecretError() }
        (self.text, self.key) = (text, key)
    }

    /// 32 random bytes.
    public static func new() -> WebhookSecret {
        let key = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) }
        return WebhookSecret(key: key)
    }

    private init(key: Data) {
        (text, self.key) = (Secret(Self.prefix + key.base64EncodedString()), key)
    }
}

/// Text that is no secret of webhooks. It does not repeat the text.
public struct WebhookSecretError: Error, Sendable, Hashable, CustomStringConvertible {
    public let description =
        "The secret of a webhook has another form; write 'whsec_' and 24 to 64 random bytes in base64, such as that of WebhookSecret.new()."
}
