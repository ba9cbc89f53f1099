import FoundationEssentials
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// A client of a public service, the responses of its document, and what was sent.
///
/// The endpoint types beside this file are what a user of `StrataClient` writes: they use no other declaration than those of the public
/// modules. The values of the responses are those of the documents, shortened to the members that the types read. `DocumentExamples`
/// compares Stripe's and Jira's with the documents; the licence of Mastodon's allows no copy here.
struct PublicAPI {
    let bench: Bench

    init(_ address: String, auth: AuthStyle, options: ClientOptions, _ answers: [ScriptedTransport.Answer]) throws {
        bench = try Bench.plain(base: address, auth: auth, options: options)
        for answer in answers { bench.transport.append(answer) }
    }

    var client: HTTPAPIClient { bench.client }

    /// Method and URL of each request: `GET https://api.example.com/items?page=2`.
    var lines: [String] { bench.transport.requests.map { "\($0.method.rawValue) \($0.url)" } }

    /// The body of request `number`, counted from 0, as it was sent.
    func body(_ number: Int = 0) throws -> String {
        let requests = bench.transport.requests
        try #require(requests.indices.contains(number))
        return String(decoding: try #require(requests[number].body?.bytes), as: UTF8.self)
    }

    /// The body of request `number` as JSON.
    func json(_ number: Int = 0) throws -> JSONValue {
        try JSONForm.asDeclared.decode(JSONValue.self, from: Data(try body(number).utf8))
    }

    /// The fields of the form in request `number`, in their order: `name=value`.
    func form(_ number: Int = 0) throws -> [String] {
        try #require(QueryItems(parsing: try body(number))).items.map { "\($0.name)=\($0.value)" }
    }

    func field(_ name: String, _ number: Int = 0) -> String? {
        let requests = bench.transport.requests
        return requests.indices.contains(number) ? requests[number].headers[name] : nil
    }
}

/// A time as documents write it.
func time(_ text: String) throws -> Date { try #require(RFC3339.date(from: text)) }
