import FoundationEssentials
import StrataDomain
import Testing

/// Documents of other servers, in the shape in which those write them.
struct JSONFormTests {
    private struct Line: Codable, Equatable { var sku: String, unitPrice: Decimal }

    private struct Order: Codable, Equatable {
        var id: Int
        var lineItems: [Line]
        var placedAt: Date
        var labels: [String: String]?

        enum CodingKeys: String, CodingKey {
            case id = "order_id"
            case lineItems, placedAt, labels
        }
    }

    private let order = Order(
        id: 7, lineItems: [Line(sku: "a/b", unitPrice: 2)], placedAt: Date(timeIntervalSince1970: 1_795_251_900),
        labels: ["aB": "1", "a_b": "2"])

    private func text(_ value: some Encodable, _ form: JSONForm) throws -> String {
        String(decoding: try form.encode(value), as: UTF8.self)
    }

    @Test func `as declared, keys and CodingKeys are what they say`() throws {
        let json =
            #"{"labels":{"aB":"1","a_b":"2"},"lineItems":[{"sku":"a/b","unitPrice":2}],"order_id":7,"#
            + #""placedAt":"2026-11-21T09:05:00.000Z"}"#
        #expect(try text(order, .asDeclared) == json)
        #expect(try JSONForm.asDeclared.decode(Order.self, from: Data(json.utf8)) == order)
    }

    @Test func `keys are converted by functions, and those of dictionaries are not`() throws {
        let form = JSONForm(
            keys: .converted(
                encode: { $0.prefix(1).uppercased() + $0.dropFirst() },
                decode: { $0.prefix(1).lowercased() + $0.dropFirst() }), dates: .secondsSince1970)
        let json =
            #"{"Labels":{"aB":"1","a_b":"2"},"LineItems":[{"Sku":"a/b","UnitPrice":2}],"Order_id":7,"PlacedAt":1795251900}"#
        #expect(try text(order, form) == json)
        #expect(try form.decode(Order.self, from: Data(json.utf8)) == order)
    }

    @Test func `the default is the form of Strata's own servers, byte by byte`() throws {
        struct Row: Codable, Equatable { var createdAt: Date, isOpen: Bool, ratio: Double, note: String? }
        let row = Row(createdAt: Date(timeIntervalSince1970: 0.25), isOpen: true, ratio: 0.1, note: nil)
        #expect(try JSONForm.snakeCase.encode(row) == WireJSON.encode(row))
        #expect(try text(row, .snakeCase) == #"{"created_at":"1970-01-01T00:00:00.250Z","is_open":true,"ratio":0.1}"#)
        #expect(try JSONForm.snakeCase.decode(Row.self, from: WireJSON.encode(row)) == row)
    }

    @Test func `an own encoder and decoder are used as they are`() throws {
        let form = JSONForm(
            encoder: {
                let encoder = JSONEncoder()
                encoder.dateEncodingStrategy = .secondsSince1970
                encoder.nonConformingFloatEncodingStrategy = .convertToString(
                    positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
                return encoder
            },
            decoder: {
                let decoder = JSONDecoder()
                decoder.dateDecodingStrategy = .secondsSince1970
                decoder.allowsJSON5 = true
                return decoder
            })
        #expect(try text(["x": Double.nan], form) == #"{"x":"nan"}"#)
        #expect(try form.decode([Date].self, from: Data("[5,]".utf8)) == [Date(timeIntervalSince1970: 5)])
        // The keys of such a document are not quoted, so they are named as declared.
        let failure = #expect(throws: WireJSON.Failure.self) {
            try form.decode(Order.self, from: Data("{order_id: 'x'}".utf8))
        }
        #expect(failure?.path == "order_id")
    }

    @Test func `GitHub's shape: snake case and times to the second`() throws {
        struct Repo: Codable, Equatable { var fullName: String, pushedAt: Date?, stargazersCount: Int }
        let json = #"{"full_name":"ada/engine","pushed_at":"2026-11-21T09:05:00Z","stargazers_count":3,"fork":false}"#
        let repo = Repo(
            fullName: "ada/engine", pushedAt: Date(timeIntervalSince1970: 1_795_251_900), stargazersCount: 3)
        for form in [JSONForm.snakeCase, .snakeCase(dates: .rfc3339)] {
            #expect(try form.decode(Repo.self, from: Data(json.utf8)) == repo)
        }
    }

    @Test func `Stripe's shape: snake case and seconds since 1970`() throws {
        struct Charge: Codable, Equatable { var id: String, amountRefunded: Int, created: Date, disputedAt: Date? }
        let json = #"{"amount_refunded":0,"created":1795251900,"id":"ch_1"}"#
        let charge = Charge(
            id: "ch_1", amountRefunded: 0, created: Date(timeIntervalSince1970: 1_795_251_900), disputedAt: nil)
        let form = JSONForm.snakeCase(dates: .secondsSince1970)
        #expect(try form.decode(Charge.self, from: Data(json.utf8)) == charge)
        #expect(try text(charge, form) == json)
    }

    @Test func `Jira's shape: camel case and offsets without a colon`() throws {
        struct Fields: Codable, Equatable { var summary: String, resolutionDate: Date?, dueDate: Date? }
        let json = #"{"summary":"s","resolutionDate":"2026-11-21T10:05:00.000+0100","dueDate":"2026-11-21"}"#
        let fields = try JSONForm.asDeclared.decode(Fields.self, from: Data(json.utf8))
        #expect(fields.resolutionDate == Date(timeIntervalSince1970: 1_795_251_900))
        #expect(fields.dueDate == Date(timeIntervalSince1970: 1_795_219_200))
    }

    @Test func `bare arrays, scalars and null are documents`() throws {
        let form = JSONForm.asDeclared
        #expect(try form.decode([Int].self, from: Data("[1,2]".utf8)) == [1, 2])
        #expect(try form.decode(Int.self, from: Data(" 7 ".utf8)) == 7)
        #expect(try form.decode(String.self, from: Data("\"x\"".utf8)) == "x")
        #expect(try form.decode(Line?.self, from: Data("null".utf8)) == nil)
        #expect(try text([1, 2], form) == "[1,2]")
        #expect(try text("x", form) == "\"x\"")
        #expect(throws: WireJSON.Failure.self) { try form.decode(Line?.self, from: Data("7".utf8)) }
    }
}
