import FoundationEssentials
import StrataDomain
import Testing

private struct LineDraft: Codable, Sendable {
    var unitPrice: Int
    var wantedAt: Date?
}

/// An endpoint of a camel-case API, which says so itself.
private struct AddLine: RoutedEndpoint {
    static let route = Route.post("/customers/{customerId}/lines")
    static let json = JSONForm.asDeclared(dates: .secondsSince1970)
    struct Response: Decodable, Sendable { var lineId: Int }

    @Path var customerId: Int
    @Query var dryRun: Bool?
    @Query var after: Date?
    @Header var token: String?
    @Body var draft: LineDraft

    enum CodingKeys: String, CodingKey {
        case customerId, dryRun, draft
        case after = "created[gte]"
        case token = "x-api-key"
    }
}

/// One that follows its client.
private struct AddRow: RoutedEndpoint {
    static let route = Route.post("/rows/{row_id}")
    typealias Response = NoContent
    @Path var rowId: Int
    @Query var pageSize: Int?
    @Query var since: Date?
    @Body var draft: LineDraft
}

private enum Manual: ManualEndpoint {
    case json, form, broken

    struct Form: FormBody { var unitPrice = 3 }

    var method: HTTPMethod { .post }
    var path: String { "/lines" }
    func body() throws -> RequestBody? {
        switch self {
        case .json: try .json(LineDraft(unitPrice: 1))
        case .form: try .form(Form())
        case .broken: try .json(["price": Double.nan])
        }
    }
}

private struct ManualDeclared: ManualEndpoint {
    static let json = JSONForm.asDeclared
    var method: HTTPMethod { .post }
    var path: String { "/lines" }
    func body() throws -> RequestBody? { try .json(LineDraft(unitPrice: 1)) }
}

struct EndpointFormTests {
    private let time = Date(timeIntervalSince1970: 1_795_251_900)
    private var row: AddRow {
        AddRow(rowId: 7, pageSize: 5, since: time, draft: LineDraft(unitPrice: 1, wantedAt: time))
    }

    private func body(_ request: EndpointRequest) -> String? {
        request.body.map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    @Test func `an endpoint's own form spells body, query, path and dates`() throws {
        let line = AddLine(
            customerId: 7, dryRun: true, after: time, token: "t", draft: LineDraft(unitPrice: 1, wantedAt: time))
        for request in [try line.request(), try line.request(in: AddLine.json)] {
            #expect(request.path == "/customers/7/lines")
            #expect(request.query.items.map(\.name) == ["dryRun", "created[gte]"])
            #expect(request.query.values("created[gte]") == ["1795251900"])
            #expect(request.headers["X-Api-Key"] == "t")
            #expect(body(request) == #"{"unitPrice":1,"wantedAt":1795251900}"#)
        }
    }

    @Test func `an endpoint without a form follows the one that is given`() throws {
        let strata = try row.request()
        #expect(strata.query.items.map(\.name) == ["page_size", "since"])
        #expect(strata.query.values("since") == ["2026-11-21T09:05:00.000Z"])
        #expect(body(strata) == #"{"unit_price":1,"wanted_at":"2026-11-21T09:05:00.000Z"}"#)
        #expect(try row.request(in: .snakeCase) == strata)
        #expect(try row.request(in: .ofClient) == strata)
        let foreign = try row.request(in: .asDeclared(dates: .millisecondsSince1970))
        #expect(foreign.path == "/rows/7")
        #expect(foreign.query.items.map(\.name) == ["pageSize", "since"])
        #expect(foreign.query.values("since") == ["1795251900000"])
        #expect(body(foreign) == #"{"unitPrice":1,"wantedAt":1795251900000}"#)
        // The form does not outlive the request.
        #expect(try row.request() == strata)
        let converted = JSONForm(keys: .converted(encode: { "x-\($0)" }, decode: { String($0.dropFirst(2)) }))
        #expect(try row.request(in: converted).query.items.map(\.name) == ["x-pageSize", "x-since"])
    }

    @Test func `a form that is given in full wins over the endpoint's own`() throws {
        let request = try ManualDeclared().request(in: .snakeCase)
        #expect(body(request) == #"{"unit_price":1}"#)
    }

    @Test func `the body of a manual endpoint follows the form too`() throws {
        #expect(body(try Manual.json.request()) == #"{"unit_price":1}"#)
        #expect(body(try Manual.json.request(in: .asDeclared)) == #"{"unitPrice":1}"#)
        #expect(body(try ManualDeclared().request()) == #"{"unitPrice":1}"#)
        #expect(body(try Manual.form.request()) == "unit_price=3")
        #expect(body(try Manual.form.request(in: .asDeclared)) == "unitPrice=3")
        #expect(try Manual.form.request().body?.contentType == MediaType.form)
        let wrapped = RespondingEndpoint(ManualDeclared(), as: Int.self)
        #expect(body(try wrapped.request()) == #"{"unitPrice":1}"#)
    }

    @Test func `a body that cannot be encoded names the key and the reason`() {
        let error = #expect(throws: EndpointError.self) { try Manual.broken.request() }
        #expect(error?.key == "price")
        #expect(error?.expected.hasPrefix("encodable: ") == true)
        #expect(error?.expected.contains("nan") == true)
    }

    @Test func `a pattern that is none, and a date that is no number, are not sent`() {
        #expect(throws: EndpointError.self) { try row.request(in: .asDeclared(dates: .pattern("Q"))) }
        var endless = row
        endless.since = Date(timeIntervalSince1970: .infinity)
        let error = #expect(throws: EndpointError.self) {
            try endless.request(in: .asDeclared(dates: .secondsSince1970))
        }
        #expect(error?.key == "since")
    }

    @Test func `a route that names no part is an error that says how parts are named`() throws {
        struct Careless: RoutedEndpoint {
            static let route = Route.get("/users/{userId}")
            typealias Response = NoContent
            @Path var userId: Int
        }
        let error = #expect(throws: EndpointError.self) { try Careless(userId: 1).request() }
        #expect(error?.kind == .missing)
        #expect(error?.key == "userId")
        #expect(try Careless(userId: 1).request(in: .asDeclared).path == "/users/1")
    }
}
