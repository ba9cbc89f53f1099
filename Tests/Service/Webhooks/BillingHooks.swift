import StrataDomain
import StrataService

/// A webhook of the billing service.
struct ReceiveBilling: RoutedEndpoint {
    static let route = Route.post("/hooks/billing")
    typealias Response = NoContent
    @Header var webhookId: String
    @Header var webhookTimestamp: String
    @Header var webhookSignature: String
    @RawBody var body: RequestBody  // the bytes as they were received
}

struct BillingHooks: FeatureService {
    let verifier: WebhookVerifier

    let migrations = [
        StoreMigration(
            "billing-hooks-1", "CREATE TABLE billing_hook (id TEXT NOT NULL PRIMARY KEY, event TEXT NOT NULL)")
    ]

    func mount(on routes: inout APIRoutes) {
        routes.write(ReceiveBilling.self, for: .anyone) { call, scope in
            do {
                try verifier.verify(
                    id: call.webhookId, timestamp: call.webhookTimestamp, signature: call.webhookSignature,
                    body: call.body.bytes, at: scope.now)
            } catch { throw ServiceError(400, code: "webhook_refused", title: "Webhook refused", detail: "\(error)") }
            return call
        } _: { call, _, transaction in
            // The same webhook may come twice.
            let event = String(decoding: call.body.bytes, as: UTF8.self)
            try transaction.execute(
                "INSERT INTO billing_hook (id, event) VALUES (\(call.webhookId), \(event)) ON CONFLICT DO NOTHING")
            return NoContent()
        }
    }
}
