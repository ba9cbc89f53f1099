import Foundation
import StrataClient

/// An API with keys in camel case, times in milliseconds and errors of its own form.
enum Status: String { case open, paid }

struct Invoice: Decodable, Sendable {
    var invoiceId: Int
    var createdAt: Date
    var status: Open<Status>
    var dueAt: Date?
}

struct GetInvoice: RoutedEndpoint, FailingEndpoint {
    static let route = Route.get("/invoices/{invoiceId}")
    typealias Response = Invoice
    typealias Failure = BillingError
    @Path var invoiceId: Int
}

struct BillingError: Decodable, Sendable {
    var message: String
    var supportId: String
}

struct InvoicePatch: Codable, Sendable {
    var status: Patch<String> = .absent
    var dueAt: Patch<Date> = .absent
}

let client = try StrataClient(
    CommandLine.arguments[1], options: ClientOptions(json: .asDeclared(dates: .millisecondsSince1970)))
do throws(NetworkError) {
    let invoice = try await client.send(GetInvoice(invoiceId: 7))
    print(invoice.invoiceId, RFC3339.string(from: invoice.createdAt), invoice.status.rawValue)

    // `null` takes the date away; what is absent stays.
    try await client.patch("/invoices/7", body: InvoicePatch(dueAt: .null))
    print("patched")

    _ = try await client.send(GetInvoice(invoiceId: 8))
} catch {
    print(error.response?.status ?? 0, error.localizedDescription)
    if let failure = error.failure(of: GetInvoice.self) { print(failure.supportId) }
}
