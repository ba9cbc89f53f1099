import FoundationEssentials
import StrataDomain
import StrataNetworking
import StrataTesting

/// The API of Stripe: forms with names in brackets, snake case, seconds since 1970, lists with a cursor, `Idempotency-Key`.
///
/// Source: stripe/openapi, commit f6c2a48fbac2819d1feba8143d942ffc65e1c0d2, `openapi/fixtures3.json`; the forms are those of the document
/// (`style: deepObject`, `explode: true`).
enum Stripe {
    static func api(_ answers: ScriptedTransport.Answer...) throws -> PublicAPI {
        try PublicAPI(
            "https://pay.example.com", auth: .basic(user: "sk_test_1", password: Secret("")),
            options: ClientOptions(
                headers: ["Stripe-Version": "2026-07-29"], json: .snakeCase(dates: .secondsSince1970)), answers)
    }

    struct Address: Codable, Sendable, Equatable {
        var line1: String?
        var city: String?
        var postalCode: String?
    }

    struct Customer: Codable, Sendable, Equatable {
        var id: String
        var created: Date
        var currency: String?
        var email: String?
        var address: Address?
        var taxExempt: Open<TaxExempt>
        var preferredLocales: [String]
        var metadata: [String: String]
    }

    enum TaxExempt: String { case none, exempt, reverse }

    struct Deleted: Codable, Sendable, Equatable {
        var id: String
        var deleted: Bool
    }

    /// A page of a list; the cursor is the id of its last item.
    struct List<Item: Codable & Sendable>: Codable, Sendable {
        var data: [Item]
        var hasMore: Bool
    }

    struct PaymentIntent: Codable, Sendable, Equatable {
        var id: String
        var amount: Int
        var status: Open<PaymentStatus>
        var canceledAt: Date?
        var paymentMethodTypes: [String]
        var automaticPaymentMethods: Enabled?
    }

    enum PaymentStatus: String {
        case requiresPaymentMethod = "requires_payment_method"
        case succeeded, canceled
    }

    struct Enabled: Codable, Sendable, Equatable { var enabled: Bool }

    struct Refund: Codable, Sendable, Equatable {
        var id: String
        var amount: Int
        var charge: String?
        var reason: String?
        var status: String
    }

    struct Balance: Codable, Sendable, Equatable {
        var available: [Funds]
        var livemode: Bool
    }

    struct Funds: Codable, Sendable, Equatable {
        var amount: Int
        var currency: String
        var sourceTypes: [String: Int]?
    }

    struct Subscription: Codable, Sendable {
        var id: String
        var customer: String
        var endedAt: Date?
        var items: Items

        struct Items: Codable, Sendable { var data: [Item] }
        struct Item: Codable, Sendable, Equatable { var id: String, quantity: Int, price: Price }
        struct Price: Codable, Sendable, Equatable { var id: String, unitAmount: Int, unitAmountDecimal: String }
    }

    struct Coupon: Codable, Sendable, Equatable {
        var id: String
        var percentOff: Double?
        var redeemBy: Date?
        var valid: Bool
    }

    struct WebhookEndpoint: Codable, Sendable, Equatable {
        var id: String
        var url: String
        var enabledEvents: [String]
    }

    /// `object` has the members of the object that the type of the event names.
    struct Event: Codable, Sendable, Equatable {
        var id: String
        var type: String
        var data: Content

        struct Content: Codable, Sendable, Equatable { var object: JSONValue }
    }

    struct ReportRun: Codable, Sendable, Equatable {
        var id: String
        var status: String
        var parameters: Interval
        var succeededAt: Date?
    }

    struct Interval: Codable, Sendable, Equatable { var intervalStart: Date, intervalEnd: Date }

    struct Failure: Codable, Sendable, Equatable {
        var error: Details

        struct Details: Codable, Sendable, Equatable {
            var type: String, code: String?, param: String?, message: String?
        }
    }
}

extension Stripe.List where Item == Stripe.Customer {
    var next: String? { hasMore ? data.last?.id : nil }
}
