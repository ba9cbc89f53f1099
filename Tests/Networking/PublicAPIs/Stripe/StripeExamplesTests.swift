import FoundationEssentials
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// Each operation with the example of the document, unabridged. The document has no examples of forms; `StripeTests` states those.
struct StripeExamplesTests {
    private let document = Result { try DocumentExamples("stripe") }

    private func expect<E: Endpoint>(
        _ endpoint: E, reads example: JSONValue, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws where E.Response: Encodable {
        try await DocumentExamples.expect(
            endpoint, reads: example, from: Stripe.api(), as: .snakeCase(dates: .secondsSince1970), name: member,
            sourceLocation: sourceLocation)
    }

    /// `canceledAt` is `canceled_at`.
    private func member(_ property: String) -> String {
        property.map { $0.isUppercase ? "_\($0.lowercased())" : String($0) }.joined()
    }

    @Test func `a customer of the document is read whole by each operation that returns one`() async throws {
        let (customer, deleted) = (
            try document.get().example("customer"), try document.get().example("deleted_customer")
        )
        try await expect(Stripe.CreateCustomer(customer: .init(email: "jenny@example.com")), reads: customer)
        try await expect(Stripe.GetCustomer(id: "cus_QXg1o8vcGmoR32"), reads: customer)
        try await expect(Stripe.ListCustomers(limit: 1), reads: ["data": [customer], "has_more": false])
        try await expect(Stripe.DeleteCustomer(id: "cus_QXg1o8vcGmoR32"), reads: deleted)
    }

    @Test func `payments, refunds, balances and subscriptions of the document are read whole`() async throws {
        let document = try document.get()
        try await expect(
            Stripe.CreatePaymentIntent(draft: .init(amount: 1099, currency: "usd")),
            reads: document.example("payment_intent"))
        try await expect(
            Stripe.CreateRefund(draft: .init(charge: "ch_1PgafuB7WZ01zgkWXYmPNZs8")), reads: document.example("refund"))
        try await expect(Stripe.GetBalance(), reads: document.example("balance"))
        try await expect(
            Stripe.CreateSubscription(draft: .init(customer: "cus_QXg1o8vcGmoR32", items: [.init(price: "price_2")])),
            reads: document.example("subscription"))
    }

    @Test func `coupons, webhooks, events and reports of the document are read whole`() async throws {
        let document = try document.get()
        try await expect(Stripe.CreateCoupon(draft: .init(duration: "forever")), reads: document.example("coupon"))
        try await expect(
            Stripe.CreateWebhookEndpoint(
                draft: .init(url: "https://example.com/hook", enabledEvents: ["charge.failed"])),
            reads: document.example("webhook_endpoint"))
        try await expect(Stripe.GetEvent(id: "evt_1Pgc76B7WZ01zgkWwyRHS12y"), reads: document.example("event"))
        let day = Date(timeIntervalSince1970: 1_522_540_800)
        try await expect(
            Stripe.CreateReportRun(
                draft: .init(
                    reportType: "balance.summary.1", parameters: .init(intervalStart: day, intervalEnd: day))),
            reads: document.example("reporting.report_run"))
    }
}
