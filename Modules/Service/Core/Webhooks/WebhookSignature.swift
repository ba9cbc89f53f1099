import Crypto
import FoundationEssentials

/// Signatures of Standard Webhooks 1.0 (standardwebhooks.com): HMAC-SHA256 over id, timestamp and body.
enum WebhookSignature {
    static let id = "Webhook-Id"
    static let timestamp = "Webhook-Timestamp"
    static let signature = "Webhook-Signature"

    /// The fields of a webhook.
    ///
    /// - Parameters:
    ///   - timestamp: Seconds since 1970.
    ///   - secrets: One, or two while it is changed.
    static func fields(id: String, timestamp: Int, body: Data, _ secrets: [WebhookSecret]) -> [(String, String)] {
        let codes = secrets.map { secret in
            "v1," + Data(code(id: id, timestamp: "\(timestamp)", body: body, secret)).base64EncodedString()
        }
        return [
            (Self.id, id), (Self.timestamp, "\(timestamp)"), (signature, codes.joined(separator: " ")),
        ]
    }

    /// Whether one of the signatures in `field` is that of one of the secrets. The comparison takes the same time for each code.
    static func isValid(_ field: String, id: String, timestamp: String, body: Data, _ secrets: [WebhookSecret]) -> Bool
    {
        let codes = field.split(separator: " ").prefix(16).compactMap { part in
            part.hasPrefix("v1,") ? Data(base64Encoded: String(part.dropFirst(3))) : nil
        }
        return codes.contains { code in
            secrets.contains { secret in
                HMAC<SHA256>.isValidAuthenticationCode(
                    code, authenticating: signed(id: id, timestamp: timestamp, body: body),
                    using: SymmetricKey(data: secret.key))
            }
        }
    }

    private static func code(
        id: String, timestamp: String, body: Data, _ secret: WebhookSecret
    ) -> HMAC<SHA256>.MAC {
        HMAC<SHA256>.authenticationCode(
            for: signed(id: id, timestamp: timestamp, body: body), using: SymmetricKey(data: secret.key))
    }

    private static func signed(id: String, timestamp: String, body: Data) -> Data {
        Data("\(id).\(timestamp).".utf8) + body
    }
}
