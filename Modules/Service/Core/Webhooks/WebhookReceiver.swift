/// Where webhooks go.
public struct WebhookReceiver: Sendable, Hashable {
    /// Absolute, with `https`.
    public var url: String
    /// Keys of the signatures: one, or two while it is changed.
    public var secrets: [WebhookSecret]

    /// A receiver at a URL.
    public init(url: String, secrets: [WebhookSecret]) { (self.url, self.secrets) = (url, secrets) }
}

/// Knows the receivers of webhooks by name: a table, or a setting.
public protocol WebhookReceivers: Sendable {
    /// - Returns: `nil` for a receiver that is gone; its webhooks are set aside.
    func receiver(named name: String) async throws -> WebhookReceiver?
}

/// Receivers that are known at the start.
extension [String: WebhookReceiver]: WebhookReceivers {
    public func receiver(named name: String) async throws -> WebhookReceiver? { self[name] }
}
