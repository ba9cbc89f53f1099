import Foundation
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

struct StripeTests {
    /// The `created` of most fixtures.
    private let created = Date(timeIntervalSince1970: 1_234_567_890)

    private func customer(_ id: String = "cus_QXg1o8vcGmoR32") -> String {
        """
        {"id":"\(id)","object":"customer","created":1234567890,"currency":"usd","email":null,\
        "address":{"city":null,"line1":null,"postal_code":null},"tax_exempt":"none","preferred_locales":[],"metadata":{}}
        """
    }

    @Test func `a customer is created by a form with names in brackets`() async throws {
        let api = try Stripe.api(.json(customer()))
        let draft = Stripe.CreateCustomer.Draft(
            email: "jenny@example.com", address: .init(line1: "1 Main St", postalCode: "0150"),
            preferredLocales: ["nb", "en"], metadata: ["orderId": "6735"])
        let read = try await api.client.send(
            Stripe.CreateCustomer(customer: draft), options: CallOptions(idempotencyKey: "KG5LxwFBepaKHyUD"))
        #expect(
            read
                == .init(
                    id: "cus_QXg1o8vcGmoR32", created: created, currency: "usd", email: nil, address: .init(),
                    taxExempt: .known(.none), preferredLocales: [], metadata: [:]))
        #expect(api.lines == ["POST https://pay.example.com/v1/customers"])
        #expect(api.field("Content-Type") == "application/x-www-form-urlencoded")
        #expect(api.field("Idempotency-Key") == "KG5LxwFBepaKHyUD")
        #expect(api.field("Stripe-Version") == "2026-07-29")
        #expect(api.field("Authorization") == "Basic c2tfdGVzdF8xOg==")
        #expect(
            try api.form() == [
                "address[line1]=1 Main St", "address[postal_code]=0150", "email=jenny@example.com",
                "metadata[orderId]=6735", "preferred_locales[]=nb", "preferred_locales[]=en",
            ])
    }

    @Test func `customers are read, expanded and deleted`() async throws {
        let api = try Stripe.api(
            .json(customer()), .json(#"{"deleted":true,"id":"cus_QXg1o8vcGmoR32","object":"customer"}"#))
        let read = try await api.client.send(
            Stripe.GetCustomer(
                id: "cus_QXg1o8vcGmoR32", expand: ["default_source", "invoice_settings.default_payment_method"]))
        #expect(read.created == created)
        let deleted = try await api.client.send(Stripe.DeleteCustomer(id: "cus_QXg1o8vcGmoR32"))
        #expect(deleted == .init(id: "cus_QXg1o8vcGmoR32", deleted: true))
        #expect(
            api.lines == [
                "GET https://pay.example.com/v1/customers/cus_QXg1o8vcGmoR32?expand%5B%5D=default_source"
                    + "&expand%5B%5D=invoice_settings.default_payment_method",
                "DELETE https://pay.example.com/v1/customers/cus_QXg1o8vcGmoR32",
            ])
    }

    @Test func `a list goes on behind the id of its last item`() async throws {
        let api = try Stripe.api(
            .json(#"{"object":"list","data":[\#(customer("cus_1")),\#(customer("cus_2"))],"has_more":true}"#),
            .json(#"{"object":"list","data":[\#(customer("cus_3"))],"has_more":false}"#))
        var ids: [String] = []
        let list = Stripe.ListCustomers(limit: 2, createdFrom: created)
        for try await one in api.client.pages(list, next: .cursor(\.next, into: \.startingAfter)).items(\.data) {
            ids.append(one.id)
        }
        #expect(ids == ["cus_1", "cus_2", "cus_3"])
        #expect(
            api.lines == [
                "GET https://pay.example.com/v1/customers?limit=2&created%5Bgte%5D=1234567890",
                "GET https://pay.example.com/v1/customers?limit=2&starting_after=cus_2&created%5Bgte%5D=1234567890",
            ])
    }

    @Test func `a payment intent is created, and its refusal is read`() async throws {
        let api = try Stripe.api(
            .json(
                """
                {"id":"pi_1PgafyB7WZ01zgkWSjxsAJo3","object":"payment_intent","amount":1099,"canceled_at":1234567890,\
                "automatic_payment_methods":{"enabled":true},"payment_method_types":["card"],\
                "status":"requires_payment_method"}
                """),
            .json(
                #"{"error":{"type":"card_error","code":"card_declined","param":"amount","message":"Your card was declined."}}"#,
                status: 402))
        let create = Stripe.CreatePaymentIntent(
            draft: .init(amount: 1099, currency: "usd", automaticPaymentMethods: .init(enabled: true)))
        let intent = try await api.client.send(create)
        #expect(
            intent
                == .init(
                    id: "pi_1PgafyB7WZ01zgkWSjxsAJo3", amount: 1099, status: .known(.requiresPaymentMethod),
                    canceledAt: created, paymentMethodTypes: ["card"], automaticPaymentMethods: .init(enabled: true)))
        #expect(
            try api.form() == [
                "amount=1099", "automatic_payment_methods[enabled]=true", "confirm=false", "currency=usd",
            ])
        let refused = await api.bench.failure(of: create)
        #expect(refused.failure(of: Stripe.CreatePaymentIntent.self)?.error.code == "card_declined")
        #expect(refused.localizedDescription.contains("Your card was declined."))
    }

    @Test func `a refund and the balance`() async throws {
        let api = try Stripe.api(
            .json(
                """
                {"id":"re_1Pgc72B7WZ01zgkWqPvrRrPE","object":"refund","amount":100,"charge":"ch_1PgafuB7WZ01zgkWXYmPNZs8",\
                "reason":null,"status":"succeeded"}
                """),
            .json(
                """
                {"object":"balance","available":[{"amount":0,"currency":"usd","source_types":{"card":0}}],"livemode":false}
                """))
        let refund = try await api.client.send(
            Stripe.CreateRefund(draft: .init(charge: "ch_1PgafuB7WZ01zgkWXYmPNZs8", reason: .requestedByCustomer)))
        #expect(
            refund
                == .init(
                    id: "re_1Pgc72B7WZ01zgkWqPvrRrPE", amount: 100, charge: "ch_1PgafuB7WZ01zgkWXYmPNZs8",
                    status: "succeeded"))
        let balance = try await api.client.send(Stripe.GetBalance())
        #expect(balance.available == [.init(amount: 0, currency: "usd", sourceTypes: ["card": 0])])
        #expect(
            api.lines == ["POST https://pay.example.com/v1/refunds", "GET https://pay.example.com/v1/balance"])
        #expect(try api.form() == ["charge=ch_1PgafuB7WZ01zgkWXYmPNZs8", "reason=requested_by_customer"])
    }

    @Test func `a subscription is created with numbered items`() async throws {
        let api = try Stripe.api(
            .json(
                """
                {"id":"sub_1Pgc6rB7WZ01zgkWNy0Cn5nw","customer":"cus_QXg1o8vcGmoR32","ended_at":1234567890,\
                "items":{"data":[{"id":"si_QXhVnC2h0Jczwc","quantity":1,"price":{"id":"price_1PgafmB7WZ01zgkW6dKueIc5",\
                "unit_amount":2000,"unit_amount_decimal":"2000"}}]}}
                """))
        let read = try await api.client.send(
            Stripe.CreateSubscription(
                draft: .init(
                    customer: "cus_QXg1o8vcGmoR32",
                    items: [.init(price: "price_1PgafmB7WZ01zgkW6dKueIc5"), .init(price: "price_2", quantity: 2)],
                    cancelAt: created)))
        #expect(read.endedAt == created)
        #expect(
            read.items.data == [
                .init(
                    id: "si_QXhVnC2h0Jczwc", quantity: 1,
                    price: .init(id: "price_1PgafmB7WZ01zgkW6dKueIc5", unitAmount: 2000, unitAmountDecimal: "2000"))
            ])
        #expect(
            try api.form() == [
                "cancel_at=1234567890", "customer=cus_QXg1o8vcGmoR32", "items[0][price]=price_1PgafmB7WZ01zgkW6dKueIc5",
                "items[1][price]=price_2", "items[1][quantity]=2",
            ])
    }

    @Test func `a coupon has a fraction and a time`() async throws {
        let api = try Stripe.api(
            .json(#"{"id":"Z4OV52SU","percent_off":25.5,"redeem_by":1234567890,"valid":true,"name":"25.5% off"}"#))
        let coupon = try await api.client.send(
            Stripe.CreateCoupon(draft: .init(duration: "forever", percentOff: 25.5, redeemBy: created)))
        #expect(coupon == .init(id: "Z4OV52SU", percentOff: 25.5, redeemBy: created, valid: true))
        #expect(try api.form() == ["duration=forever", "percent_off=25.5", "redeem_by=1234567890"])
    }

    @Test func `a webhook names its events`() async throws {
        let api = try Stripe.api(
            .json(
                """
                {"id":"we_1Pgc6yB7WZ01zgkWzAudq4eU","enabled_events":["charge.failed","charge.succeeded"],\
                "url":"https://example.com/my/webhook/endpoint"}
                """))
        let hook = try await api.client.send(
            Stripe.CreateWebhookEndpoint(
                draft: .init(
                    url: "https://example.com/my/webhook/endpoint",
                    enabledEvents: ["charge.failed", "charge.succeeded"])))
        #expect(hook.enabledEvents == ["charge.failed", "charge.succeeded"])
        #expect(
            try api.form() == [
                "enabled_events[]=charge.failed", "enabled_events[]=charge.succeeded",
                "url=https://example.com/my/webhook/endpoint",
            ])
    }

    @Test func `an event holds an object of any kind, with the keys of the document`() async throws {
        let api = try Stripe.api(
            .json(
                """
                {"id":"evt_1Pgc76B7WZ01zgkWwyRHS12y","object":"event","type":"plan.created",\
                "data":{"object":{"object":"plan","amount":2000,"billing_scheme":"per_unit","active":true}}}
                """))
        let event = try await api.client.send(Stripe.GetEvent(id: "evt_1Pgc76B7WZ01zgkWwyRHS12y"))
        #expect(event.type == "plan.created")
        #expect(
            event.data.object == ["object": "plan", "amount": 2000, "billing_scheme": "per_unit", "active": true])
    }

    @Test func `a report has its times within`() async throws {
        let api = try Stripe.api(
            .json(
                """
                {"id":"frr_1Pgc79B7WZ01zgkWMmsefTsj","status":"succeeded","succeeded_at":1234567890,\
                "parameters":{"interval_end":1525132800,"interval_start":1522540800}}
                """))
        let interval = Stripe.Interval(
            intervalStart: Date(timeIntervalSince1970: 1_522_540_800),
            intervalEnd: Date(timeIntervalSince1970: 1_525_132_800))
        let run = try await api.client.send(
            Stripe.CreateReportRun(draft: .init(reportType: "balance.summary.1", parameters: interval)))
        #expect(
            run
                == .init(
                    id: "frr_1Pgc79B7WZ01zgkWMmsefTsj", status: "succeeded", parameters: interval, succeededAt: created)
        )
        #expect(
            try api.form() == [
                "parameters[interval_end]=1525132800", "parameters[interval_start]=1522540800",
                "report_type=balance.summary.1",
            ])
    }
}
