public import FoundationEssentials
public import StrataDomain
import StrataHTTP
import StrataSystem

/// Checks webhooks on the side that receives them, of any sender that follows Standard Webhooks 1.0.
///
/// ```swift
/// let verifier = WebhookVerifier(secrets: [secret])
/// let id = try verifier.verify(fields, body: bytes, at: now)
/// // The same webhook may come twice: store `id` with its effect, and answer 2xx for one that is stored.
/// ```
public struct WebhookVerifier: Sendable {
    private let secrets: [WebhookSecret]
    private let tolerance: Double

    /// - Parameters:
    ///   - secrets: One, or two while it is changed.
    ///   - tolerance: How far the time of a webhook may lie from the clock of the receiver, in both directions. Default 5 minutes.
    public init(secrets: [WebhookSecret], tolerance: Duration = .seconds(300)) {
        self.secrets = secrets
        self.tolerance = tolerance.inSeconds
    }

    /// Checks the signature of `body`, as it was received, byte by byte.
    ///
    /// - Parameter fields: Of the request, with `Webhook-Id`, `Webhook-Timestamp` and `Webhook-Signature`.
    /// - Returns: The id of the webhook, which is the same each time it is sent.
    /// - Throws: `WebhookRefusal`; answer 400 or 401.
    @discardableResult
    public func verify(_ fields: HeaderFields, body: Data, at now: Date) throws(WebhookRefusal) -> String {
        guard let id = fields[WebhookSignature.id], let timestamp = fields[WebhookSignature.timestamp],
            let signature = fields[WebhookSignature.signature]
        else { throw .incomplete }
        try verify(id: id, timestamp: timestamp, signature: signature, body: body, at: now)
        return id
    }

    /// The same for the three fields, as an endpoint reads them.
    public func verify(
        id: String, timestamp: String, signature: String, body: Data, at now: Date
    ) throws(WebhookRefusal) {
        guard !id.isEmpty, id.utf8.count <= 256, let seconds = timestamp.decimal() else { throw .incomplete }
        guard abs(Double(seconds) - now.timeIntervalSince1970) <= tolerance else { throw .stale }
        guard WebhookSignature.isValid(signature, id: id, timestamp: timestamp, body: body, secrets) else {
            throw .forged
        }
    }
}

/// Why a webhook is not accepted.
public enum WebhookRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// A field of the signature is missing or cannot be read.
    case incomplete
    /// It was signed too long ago, or lies in the future: an old one may be repeated.
    case stale
    /// No signature is that of a secret for this body.
    case forged

    public var description: String {
        switch self {
        case .incomplete: "Webhook-Id, Webhook-Timestamp or Webhook-Signature is missing or cannot be read."
        case .stale: "The time of the webhook is too far from now; check the clocks of both sides."
        case .forged: "No signature fits the body; check the secret, and that the body is the one that was received."
        }
    }
}
