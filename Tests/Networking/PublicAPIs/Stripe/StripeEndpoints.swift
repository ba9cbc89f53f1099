import FoundationEssentials
import StrataDomain

extension Stripe {
    struct CreateCustomer: RoutedEndpoint {
        static let route = Route.post("/v1/customers")
        typealias Response = Customer
        @Body var customer: Draft

        struct Draft: FormBody {
            var email: String?
            var address: Address?
            var preferredLocales: [String]?
            var metadata: [String: String]?

            enum CodingKeys: String, CodingKey {
                case email, address, metadata
                case preferredLocales = "preferred_locales[]"
            }
        }
    }

    struct GetCustomer: RoutedEndpoint {
        static let route = Route.get("/v1/customers/{id}")
        typealias Response = Customer
        @Path var id: String
        @BracketQuery var expand: [String] = []
    }

    struct ListCustomers: RoutedEndpoint {
        static let route = Route.get("/v1/customers")
        typealias Response = List<Customer>
        @Query var limit: Int?
        @Query var startingAfter: String?
        @Query var createdFrom: Date?

        enum CodingKeys: String, CodingKey {
            case limit, startingAfter
            case createdFrom = "created[gte]"
        }
    }

    struct DeleteCustomer: RoutedEndpoint {
        static let route = Route.delete("/v1/customers/{id}")
        typealias Response = Deleted
        @Path var id: String
    }

    struct CreatePaymentIntent: RoutedEndpoint, FailingEndpoint {
        static let route = Route.post("/v1/payment_intents")
        typealias Response = PaymentIntent
        typealias Failure = Stripe.Failure
        @Body var draft: Draft

        struct Draft: FormBody {
            var amount: Int
            var currency: String
            var automaticPaymentMethods: Enabled?
            var confirm = false
        }
    }

    struct CreateRefund: RoutedEndpoint {
        static let route = Route.post("/v1/refunds")
        typealias Response = Refund
        @Body var draft: Draft

        enum Reason: String, Codable {
            case duplicate, fraudulent
            case requestedByCustomer = "requested_by_customer"
        }
        struct Draft: FormBody {
            var charge: String
            var reason: Reason?
        }
    }

    struct GetBalance: RoutedEndpoint {
        static let route = Route.get("/v1/balance")
        typealias Response = Balance
    }

    struct CreateSubscription: RoutedEndpoint {
        static let route = Route.post("/v1/subscriptions")
        typealias Response = Subscription
        @Body var draft: Draft

        struct Draft: FormBody {
            var customer: String
            var items: [Item]
            var cancelAt: Date?
        }
        struct Item: Codable, Sendable {
            var price: String
            var quantity: Int?
        }
    }

    struct CreateCoupon: RoutedEndpoint {
        static let route = Route.post("/v1/coupons")
        typealias Response = Coupon
        @Body var draft: Draft

        struct Draft: FormBody {
            var duration: String
            var percentOff: Double?
            var redeemBy: Date?
        }
    }

    struct CreateWebhookEndpoint: RoutedEndpoint {
        static let route = Route.post("/v1/webhook_endpoints")
        typealias Response = WebhookEndpoint
        @Body var draft: Draft

        struct Draft: FormBody {
            var url: String
            var enabledEvents: [String]
            enum CodingKeys: String, CodingKey {
                case url
                case enabledEvents = "enabled_events[]"
            }
        }
    }

    struct GetEvent: RoutedEndpoint {
        static let route = Route.get("/v1/events/{id}")
        typealias Response = Event
        @Path var id: String
    }

    struct CreateReportRun: RoutedEndpoint {
        static let route = Route.post("/v1/reporting/report_runs")
        typealias Response = ReportRun
        @Body var draft: Draft

        struct Draft: FormBody {
            var reportType: String
            var parameters: Interval
        }
    }
}
