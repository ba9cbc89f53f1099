import Foundation
import HTTPTypes
import StrataDomain
import StrataFeatureTesting
import StrataTesting
import Testing

@testable import StrataService

/// A service that receives webhooks. `Docs/Guides/Jobs.md` shows its sources.
@Suite struct BillingHooksTests {
    private let secret = WebhookSecret.new()

    /// A request of the sender, on its way.
    private func signed(_ event: String, at now: Date) async throws -> (fields: HTTPFields, body: Data) {
        let client = ScriptedRawClient(.answer(204))
        let receiver = WebhookReceiver(url: "https://hooks.example.com/in", secrets: [secret])
        let sender = WebhookSender(
            client: client, receivers: ["billing": receiver], wallClock: ManualWallClock(now),
            allowsPrivateAddresses: false)
        try await sender.send(Webhook(to: "billing", type: event, ["number": 7], at: now))
        let request = try #require(client.calls.first?.request)
        var fields = HTTPFields()
        for name in ["Webhook-Id", "Webhook-Timestamp", "Webhook-Signature"] {
            fields[try #require(HTTPField.Name(name))] = request.headers[name]
        }
        return (fields, try #require(request.body?.bytes))
    }

    private func receiving(_ body: @escaping @Sendable (TestService, Client) async throws -> Void) async throws {
        let hooks = BillingHooks(verifier: WebhookVerifier(secrets: [secret]))
        try await withService {
            $0.others = [hooks]
        } _: {
            try await body($0, $1)
        }
    }

    private func events(_ service: TestService) async throws -> Int { try await service.store.count("billing_hook") }

    @Test func `a webhook is received once, also when it comes twice`() async throws {
        try await receiving { service, client in
            let (fields, body) = try await signed("invoice.paid", at: service.wallClock.now)
            for _ in 0..<2 {
                let reply = try await client.send(.post, "/hooks/billing", as: nil, headers: fields, body: body)
                #expect(reply.status == 204)
            }
            #expect(try await events(service) == 1)
            let (others, next) = try await signed("invoice.paid", at: service.wallClock.now)
            _ = try await client.send(.post, "/hooks/billing", as: nil, headers: others, body: next)
            #expect(try await events(service) == 2)
        }
    }

    @Test func `a webhook that was changed, is old, or is not signed is refused`() async throws {
        try await receiving { service, client in
            let (fields, body) = try await signed("invoice.paid", at: service.wallClock.now)
            // The same document, and other bytes.
            let spaced = try await client.send(
                .post, "/hooks/billing", as: nil, headers: fields, body: body + Data(" ".utf8))
            #expect(spaced.status == 400)
            #expect(try spaced.problem().code == "webhook_refused")
            let unsigned = try await client.send(.post, "/hooks/billing", as: nil, body: body)
            #expect(unsigned.status == 400)
            let empty = try await client.send(.post, "/hooks/billing", as: nil, headers: fields)
            #expect(empty.status == 422)
            service.wallClock.advance(by: .seconds(301))
            let late = try await client.send(.post, "/hooks/billing", as: nil, headers: fields, body: body)
            #expect(try late.problem().detail?.contains("clocks") == true)
            #expect(try await events(service) == 0)
        }
    }

    @Test func `the media type of a body of bytes is any`() async throws {
        try await receiving { service, client in
            let document = try await client.send(.get, "/openapi.json", as: nil)
            let text = String(decoding: document.body, as: UTF8.self)
            #expect(text.contains("/hooks/billing") && text.contains("*/*") || text.contains("*\\/*"))
            let (fields, body) = try await signed("invoice.paid", at: service.wallClock.now)
            let reply = try await client.send(
                .post, "/hooks/billing", as: nil, headers: fields, body: body, type: "text/plain")
            #expect(reply.status == 204)
        }
    }
}
