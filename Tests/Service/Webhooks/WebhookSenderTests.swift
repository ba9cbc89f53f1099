import FoundationEssentials
import StrataDomain
import StrataFeatureTesting
import StrataTesting
import Testing

@testable import StrataService

@Suite struct WebhookSenderTests {
    private struct Order: Codable, Sendable { var orderNumber = 7 }

    private let secret = WebhookSecret.new()
    private let now = Date.noon

    private func sender(
        _ client: ScriptedRawClient, url: String = "https://hooks.example.com/in?token=t",
        wallClock: ManualWallClock? = nil,
        allowsPrivateAddresses: Bool = false
    ) -> WebhookSender {
        WebhookSender(
            client: client, receivers: ["billing": WebhookReceiver(url: url, secrets: [secret])],
            wallClock: wallClock ?? ManualWallClock(now), allowsPrivateAddresses: allowsPrivateAddresses)
    }

    private func webhook(to receiver: String = "billing") throws -> Webhook {
        try Webhook(to: receiver, type: "order.created", Order(), at: now)
    }

    @Test func `a webhook is one signed POST that its receiver accepts`() async throws {
        let client = ScriptedRawClient(.answer(204))
        let webhook = try webhook()
        try await sender(client).send(webhook)
        let call = try #require(client.calls.first)
        let body = try #require(call.request.body?.bytes)
        #expect(call.request.method == .post && call.request.url == "https://hooks.example.com/in?token=t")
        #expect(call.request.body?.contentType == MediaType.json && call.options.retry == .never)
        #expect(try WebhookVerifier(secrets: [secret]).verify(call.request.headers, body: body, at: now) == webhook.id)
        let text = String(decoding: body, as: UTF8.self)
        #expect(text.contains("\"type\":\"order.created\"") && text.contains("\"order_number\":7"))
    }

    @Test func `a later attempt has the same id and the time of the attempt`() async throws {
        let client = ScriptedRawClient(.answer(500), .answer(200))
        let wallClock = ManualWallClock(now)
        let sender = sender(client, wallClock: wallClock)
        let webhook = try webhook()
        await #expect(throws: JobFailure.self) { try await sender.send(webhook) }
        wallClock.advance(by: .seconds(36_000))
        try await sender.send(webhook)
        let last = try #require(client.calls.last)
        let ids = client.calls.compactMap { $0.request.headers["Webhook-Id"] }
        #expect(ids == [webhook.id, webhook.id])
        let body = try #require(last.request.body?.bytes)
        try WebhookVerifier(secrets: [secret]).verify(last.request.headers, body: body, at: wallClock.now)
    }

    @Test(
        arguments: [
            (301, nil, JobFailure.retry(after: .zero, "The receiver redirects (301), which is not followed.")),
            (410, nil, JobFailure.permanent("The receiver does not want webhooks any more (410).")),
            (400, nil, JobFailure.retry(after: .zero, "The receiver answered 400.")),
            (503, "120", JobFailure.retry(after: .seconds(120), "The receiver answered 503.")),
            (429, "soon", JobFailure.retry(after: .zero, "The receiver answered 429.")),
        ] as [(Int, String?, JobFailure)])
    func `what is no delivery is a failure that says why`(
        _ status: Int, _ retryAfter: String?, _ failure: JobFailure
    ) async throws {
        var headers: HeaderFields = ["Location": "https://other.example.com/"]
        headers["Retry-After"] = retryAfter
        let client = ScriptedRawClient(.answer(status, headers: headers))
        let webhook = try webhook()
        await #expect(throws: failure) { try await sender(client).send(webhook) }
        #expect(client.calls.count == 1)
    }

    @Test func `a receiver that is not known is a permanent failure`() async throws {
        let client = ScriptedRawClient(.answer(200))
        let webhook = try webhook(to: "gone")
        let error = await #expect(throws: JobFailure.self) { try await sender(client).send(webhook) }
        #expect(error == .permanent("There is no receiver 'gone'."))
        #expect(client.calls.isEmpty)
    }

    @Test(arguments: [
        "http://hooks.example.com/", "ftp://hooks.example.com/", "hooks.example.com", "", "https://", "https:///x",
        "https://user@hooks.example.com/", "https://user:hunter2@hooks.example.com/", "https://127.0.0.1/",
        "https://10.1.2.3:8443/x", "https://169.254.169.254/latest/meta-data", "https://[::1]/", "https://[fe80::1]/",
        "https://[::ffff:10.0.0.1]/", "https://localhost/", "https://LOCALHOST./", "https://db.internal/",
        "https://printer.local/", "https://0.0.0.0/", "https://hooks.example.com/#x",
    ])
    func `a URL that is no receiver in the public Internet is refused before anything is sent`(_ url: String)
        async throws
    {
        let client = ScriptedRawClient(.answer(200))
        let webhook = try webhook()
        let error = await #expect(throws: JobFailure.self) { try await sender(client, url: url).send(webhook) }
        guard case .permanent(let reason) = error else {
            Issue.record("\(url) is not refused for good")
            return
        }
        #expect(!reason.contains("hunter2"))
        #expect(client.calls.isEmpty)
    }

    @Test(arguments: ["http://127.0.0.1:9/", "https://localhost/", "http://[::1]/"])
    func `private addresses are sent to where that is allowed`(_ url: String) async throws {
        let client = ScriptedRawClient(.answer(200))
        try await sender(client, url: url, allowsPrivateAddresses: true).send(try webhook())
        #expect(client.calls.count == 1)
    }

    @Test(arguments: StoreEngine.all)
    func `a receiver that fails for ten minutes gets each webhook once, in order`(_ engine: StoreEngine) async throws {
        try await withJobs(engine) { rig in
            let end = rig.wallClock.now.addingTimeInterval(600)
            let delivered = Shared<[String]>([])
            let client = ScriptedRawClient(
                ScriptedRawClient.Step { call, _ in
                    guard rig.wallClock.now >= end else {
                        return RawResponse(head: ResponseHead(status: 500), bytes: Data())
                    }
                    delivered.change { $0.append(call.request.headers["Webhook-Id"] ?? "") }
                    return RawResponse(head: ResponseHead(status: 200), bytes: Data())
                })
            let start = rig.wallClock.now
            let ids = try await rig.store.write { transaction in
                try (0..<10).map { _ in
                    let webhook = try Webhook(to: "billing", type: "order.created", Order(), at: start)
                    try transaction.enqueue(webhook, at: start)
                    return webhook.id
                }
            }
            let runner = try rig.runner([sender(client, wallClock: rig.wallClock).handler])
            for _ in 0..<120 {
                try await runner.settle()
                rig.wallClock.advance(by: .seconds(15))
            }
            #expect(delivered.value == ids)
            #expect(try await rig.states().isEmpty)
        }
    }
}
