import FoundationEssentials
public import StrataDomain
import StrataHTTP

/// Sends webhooks: signed, again after failures, in order for each receiver, and never by a redirect.
///
/// ```swift
/// WebhookSender(client: outgoing, receivers: ["billing": billing]).handler
/// ```
///
/// A 2xx response is a delivery. 410 says that the receiver does not want them any more: the webhook is set aside at once. Everything
/// else, redirects included, is tried again, after the time of `Retry-After` if there is one.
public struct WebhookSender: Sendable {
    /// 20 attempts: the first 11 in some 40 minutes, the others about half an hour apart.
    public static let policy = JobPolicy(attempts: 20, timeLimit: .seconds(60))

    private let client: any RawClient
    private let receivers: any WebhookReceivers
    private let policy: JobPolicy
    private let wallClock: any WallClock
    private let allowsPrivateAddresses: Bool

    /// - Parameters:
    ///   - client: Follows no redirect, uses no proxy, and connects to public addresses only.
    ///   - allowsPrivateAddresses: Also sends by `http` and to names and addresses that are not public, if the client connects to them.
    ///     Default `false`.
    public init(
        client: any RawClient, receivers: any WebhookReceivers, policy: JobPolicy = WebhookSender.policy,
        wallClock: any WallClock = SystemWallClock(), allowsPrivateAddresses: Bool = false
    ) {
        (self.client, self.receivers, self.policy) = (client, receivers, policy)
        (self.wallClock, self.allowsPrivateAddresses) = (wallClock, allowsPrivateAddresses)
    }

    /// The row in the list of jobs.
    public var handler: JobHandler {
        JobHandler(Webhook.self, policy: policy) { [self] webhook, _ in try await send(webhook) }
    }

    /// - Throws: `JobFailure`, or `NetworkError` without a response.
    func send(_ webhook: Webhook) async throws {
        guard let receiver = try await receivers.receiver(named: webhook.receiver) else {
            throw JobFailure.permanent("There is no receiver '\(webhook.receiver)'.")
        }
        guard !receiver.secrets.isEmpty else {
            throw JobFailure.permanent("The receiver '\(webhook.receiver)' has no secret; give it one.")
        }
        try WebhookTarget.check(receiver.url, allowsPrivate: allowsPrivateAddresses)
        let body = Data(webhook.body.utf8)
        // The time of this attempt, so that a late one is not refused as too old.
        let timestamp = Int(wallClock.now.timeIntervalSince1970)
        let fields = WebhookSignature.fields(id: webhook.id, timestamp: timestamp, body: body, receiver.secrets)
        let request = RawRequest(
            .post, receiver.url, headers: HeaderFields(fields.map { HeaderFields.Field($0.0, $0.1) }),
            body: .bytes(body, contentType: MediaType.json))
        // The body of the response has no meaning, and may be large.
        let head = try await client.stream(
            request, options: CallOptions(deadline: .after(.seconds(30)), retry: .never), events: { _ in }
        ) { head, _ in head }
        try Self.judge(head, at: wallClock.now)
    }

    private static func judge(_ head: ResponseHead, at now: Date) throws(JobFailure) {
        switch head.status {
        case 200..<300: return
        case 300..<400: throw .retry(after: .zero, "The receiver redirects (\(head.status)), which is not followed.")
        case 410: throw .permanent("The receiver does not want webhooks any more (410).")
        default:
            let asked = RetryAfter.wait(asked: head.headers, now: now) ?? .zero
            throw .retry(after: asked, "The receiver answered \(head.status).")
        }
    }
}
