import FoundationEssentials
import StrataDomain
import Testing

private struct TakeCharge: RoutedEndpoint {
    static let route = Route.post("/v1/charges")
    typealias Response = NoContent
    @Body var charge: Charge

    enum Currency: String, Codable { case eur, usd }

    struct Charge: FormBody, Equatable {
        var amount: Int
        var price: Double?
        var exact: Decimal?
        var isFinal: Bool?
        var at: Date?
        var currency: Currency?
        var items: [Int]?
        var tags: [String] = []
    }
}

struct FormBodyTests {
    private let charge = TakeCharge.Charge(
        amount: -5, price: 0.5, exact: Decimal(string: "12345678901234567.89"), isFinal: true,
        at: Date(timeIntervalSince1970: 1_795_251_900), currency: .eur, items: [2, 1], tags: ["a&b", ""])

    private func text(_ body: RequestBody?) -> String? { body.map { String(decoding: $0.bytes, as: UTF8.self) } }

    private func read(_ form: String) throws -> TakeCharge.Charge {
        try TakeCharge(EndpointParts(body: RequestBody(contentType: MediaType.form, bytes: Data(form.utf8)))).charge
    }

    @Test func `numbers, flags, dates, enumerations and arrays are fields of a form`() throws {
        let body = try TakeCharge(charge: charge).request().body
        #expect(body?.contentType == MediaType.form)
        #expect(
            text(body)
                == "amount=-5&at=2026-11-21T09%3A05%3A00.000Z&currency=eur&exact=12345678901234567.89&is_final=true"
                + "&items=2&items=1&price=0.5&tags=a%26b&tags=")
    }

    @Test func `names and dates follow the form of the client`() throws {
        let body = try TakeCharge(charge: TakeCharge.Charge(amount: 1, isFinal: false, at: charge.at))
            .request(in: .asDeclared(dates: .secondsSince1970)).body
        #expect(text(body) == "amount=1&at=1795251900&isFinal=false")
    }

    @Test func `a server reads the form that the client wrote`() throws {
        for charge in [
            charge, TakeCharge.Charge(amount: 0, tags: ["5"]),
            TakeCharge.Charge(amount: .max, items: [7], tags: ["true"]),
        ] {
            #expect(try read(try #require(text(TakeCharge(charge: charge).request().body))) == charge)
        }
    }

    @Test(arguments: [
        ("amount=x&tags=a", "amount", EndpointError.Kind.malformed), ("amount=1.5&tags=a", "amount", .malformed),
        ("amount=&tags=a", "amount", .malformed), ("amount=1&amount=2&tags=a", "amount", .malformed),
        ("amount=1&tags=a&is_final=1", "is_final", .malformed), ("amount=1&tags=a&price=nan", "price", .malformed),
        ("amount=1&tags=a&at=soon", "at", .malformed), ("amount=1&tags=a&currency=EUR", "currency", .malformed),
        ("amount=1&tags=a&items=1&items=x", "items.1", .malformed), ("tags=a", "amount", .missing),
        ("amount=1&tags=a&other=1&other=2", "other", .malformed), ("amount=1&tags=a&at=x&at=y", "at", .malformed),
    ])
    func `a field of another kind is an error that names it`(form: String, key: String, kind: EndpointError.Kind) {
        let error = #expect(throws: EndpointError.self) { try read(form) }
        #expect(error?.key == key)
        #expect(error?.kind == kind)
    }

    @Test func `a form holds no objects and no null, and the error names the field`() {
        struct Nested: FormBody { var name = "x", place = ["a": 1] }
        struct Emptied: FormBody { var name: Patch<String> = .null }
        struct Deep: FormBody { var rows = [[1]] }
        let nested = #expect(throws: EndpointError.self) { try RequestBody.form(Nested()) }
        #expect(nested?.key == "place")
        let emptied = #expect(throws: EndpointError.self) { try RequestBody.form(Emptied()) }
        #expect(emptied?.key == "name")
        let deep = #expect(throws: EndpointError.self) { try RequestBody.form(Deep()) }
        #expect(deep?.key == "rows")
        #expect(throws: EncodingError.self) { try RequestBody.form(TakeCharge.Charge(amount: 1, price: .infinity)) }
    }

    @Test func `for a server of another, structs have names in brackets`() throws {
        struct Line: Codable { var price: String, quantity = 1 }
        struct Card: Codable {
            var kinds = ["visa", "amex"]
            enum CodingKeys: String, CodingKey { case kinds = "kinds[]" }
        }
        struct Order: FormBody {
            var address = ["line1": "Main St", "city": "A&B"]
            var metadata = ["orderId": "7"]
            var items = [Line(price: "p1"), Line(price: "p2", quantity: 2)]
            var rows = [Line(price: "p3")]
            var card = Card()
            var empty: [String: String] = [:]
            var dueAt: Date? = Date(timeIntervalSince1970: 5)
            enum CodingKeys: String, CodingKey {
                case address, metadata, items
                case rows = "rows[]"
                case card, empty, dueAt
            }
        }
        struct Upload: ManualEndpoint {
            var method: HTTPMethod { .post }
            var path: String { "/orders" }
            func body() throws -> RequestBody? { try .form(Order()) }
        }
        let body = try Upload().request(in: .snakeCase(dates: .secondsSince1970)).body
        let sent = try #require(text(body))
        let items = try #require(QueryItems(parsing: sent)).items.map { "\($0.name)=\($0.value)" }
        #expect(
            items == [
                "address[city]=A&B", "address[line1]=Main St", "card[kinds][]=visa", "card[kinds][]=amex", "due_at=5",
                "items[0][price]=p1", "items[0][quantity]=1", "items[1][price]=p2", "items[1][quantity]=2",
                "metadata[orderId]=7", "rows[][price]=p3", "rows[][quantity]=1",
            ])
    }

    @Test func `null and lists of lists are no fields in any form`() {
        struct Emptied: ManualEndpoint {
            struct Form: FormBody { var place: [String: [String: Int?]] = ["a": ["b": nil]] }
            var method: HTTPMethod { .post }
            var path: String { "/" }
            func body() throws -> RequestBody? { try .form(Form()) }
        }
        struct Deep: ManualEndpoint {
            struct Form: FormBody { var rows = [[1]] }
            var method: HTTPMethod { .post }
            var path: String { "/" }
            func body() throws -> RequestBody? { try .form(Form()) }
        }
        let emptied = #expect(throws: EndpointError.self) { try Emptied().request(in: .asDeclared) }
        #expect(emptied?.key == "place")
        let deep = #expect(throws: EndpointError.self) { try Deep().request(in: .asDeclared) }
        #expect(deep?.key == "rows")
    }

    @Test func `a form with many repeated names is read in few attempts`() {
        let form = "amount=1&tags=a" + String(repeating: "&items=1", count: 20_000)
        #expect((try? read(form))?.items?.count == 20_000)
    }
}
