public import FoundationEssentials
import StrataDomain

/// A message to another service by HTTP POST: a job that `WebhookSender` does.
///
/// ```swift
/// try transaction.enqueue(Webhook(to: "billing", type: "order.created", order, at: now), at: now)
/// ```
///
/// The webhooks of one receiver are sent one at a time, in the order of their writes; one that fails holds the later ones up until it
/// is delivered or set aside. A receiver may get a webhook twice, with the same `Webhook-Id`.
public struct Webhook: BackgroundJob, Hashable {
    public static let kind = "webhook"

    /// `Webhook-Id`: the same each time the webhook is sent.
    public let id: String
    /// Name of the receiver, known to `WebhookReceivers`; at most 200 bytes.
    public let receiver: String
    /// JSON, sent as it is.
    public let body: String

    public var key: String? { "webhook \(receiver)" }

    /// - Parameters:
    ///   - type: What happened, such as `order.created`.
    ///   - data: What the receiver must know.
    public init(to receiver: String, type: String, _ data: some Encodable & Sendable, at now: Date) throws {
        let id = "msg_" + UUIDv7.string(at: now)
        let bytes = try WireJSON.encode(Envelope(type: type, timestamp: now, data: data))
        self.init(id: id, receiver: receiver, body: String(decoding: bytes, as: UTF8.self))
    }

    init(id: String, receiver: String, body: String) { (self.id, self.receiver, self.body) = (id, receiver, body) }

    /// The body that Standard Webhooks recommends.
    private struct Envelope<Content: Encodable>: Encodable {
        let type: String
        let timestamp: Date
        let data: Content
    }
}
