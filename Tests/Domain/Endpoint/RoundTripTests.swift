import FoundationEssentials
import StrataDomain
import Testing

struct RoundTripTests {
    @Test func `the backend decodes a request of the client with a part of every kind`() throws {
        let read = try EveryPart(received(everyPart.request(), by: EveryPart.self))
        #expect(read.barId == everyPart.barId)
        #expect(read.number == -7)
        #expect(read.text == everyPart.text)
        #expect(read.count == .max)
        #expect(read.isHigh)
        #expect(read.since == everyPart.since)
        #expect(read.grade == .spring)
        #expect(read.maybeText == "")
        #expect(read.maybeCount == 0)
        #expect(read.maybeHigh == false)
        #expect(read.maybeSince == everyPart.maybeSince)
        #expect(read.maybeGrade == .neap)
        #expect(read.tags == ["", "a,b", "a", "a"])
        #expect(read.numbers == [3, 1, 2])
        #expect(read.ifMatch == EntityTag("v1"))
        #expect(read.ifNoneMatch == EntityTag("v0", isWeak: true))
        #expect(read.xTides == [1, 2])
        #expect(read.draft == everyPart.draft)
        #expect(read == everyPart)
    }

    @Test func `absent optional parts stay absent, and empty lists stay empty`() throws {
        var sparse = everyPart
        (sparse.maybeText, sparse.maybeCount, sparse.maybeHigh) = (nil, nil, nil)
        (sparse.maybeSince, sparse.maybeGrade, sparse.ifNoneMatch) = (nil, nil, nil)
        (sparse.tags, sparse.numbers, sparse.xTides) = ([], [], [])
        sparse.draft = Draft(title: "t")
        let request = try sparse.request()
        #expect(!request.query.items.contains { $0.name.hasPrefix("maybe") })
        let read = try EveryPart(received(request, by: EveryPart.self))
        #expect(read == sparse)
        #expect(read.maybeText == nil)
        #expect(read.draft.metres == nil)
    }

    @Test func `names on the wire have snake case, and those of header fields hyphens`() throws {
        let request = try everyPart.request()
        #expect(request.method == .patch)
        #expect(request.path == "/v1/bars/a%2Fb%20%C3%BC%3F%26%2B%25/levels/-7")
        #expect(request.query.values("is_high") == ["true"])
        #expect(request.query.values("grade") == ["spring"])
        #expect(request.headers["If-Match"] == "\"v1\"")
        #expect(request.headers["If-None-Match"] == "W/\"v0\"")
        #expect(request.headers.values("X-Tides") == ["1", "2"])
        #expect(request.body?.contentType == "application/json")
    }

    @Test func `an endpoint without parts is its route`() throws {
        let request = try NoParts().request()
        #expect(request.target == "/")
        #expect(request.body == nil)
        _ = try NoParts(EndpointParts())
    }

    @Test func `a form is sent as a form, and JSON is accepted too`() throws {
        let endpoint = SendForm(form: .init(grantType: "refresh_token", refreshToken: "a+b&c"))
        let request = try endpoint.request()
        #expect(request.body?.contentType == "application/x-www-form-urlencoded")
        #expect(
            request.body.map { String(decoding: $0.bytes, as: UTF8.self) }
                == "grant_type=refresh_token&refresh_token=a%2Bb%26c")
        #expect(try SendForm(EndpointParts(body: request.body)).form == endpoint.form)
        #expect(try SendForm(EndpointParts(body: .json(endpoint.form))).form == endpoint.form)
    }

    @Test func `an enum can be an endpoint`() throws {
        let list = try UserEndpoint.list(page: 2).request()
        #expect(list.target == "/users?page=2")
        #expect(list.body == nil)
        let create = try UserEndpoint.create(Draft(title: "t")).request()
        #expect(create.method == .post)
        #expect(create.body.map { String(decoding: $0.bytes, as: UTF8.self) } == #"{"title":"t"}"#)
        #expect(throws: EndpointError.self) { try UserEndpoint.broken.request() }
    }

    @Test(arguments: ["", ".", ".."])
    func `a path value that is empty or a dot segment is refused`(value: String) {
        var endpoint = everyPart
        endpoint.barId = value
        let error = #expect(throws: EndpointError.self) { try endpoint.request() }
        #expect(error?.place == .path)
        #expect(error?.key == "bar_id")
    }

    @Test(arguments: ["...", ".a", "a/..", "%2e%2e", " ", "\u{0}", "{number}"])
    func `any other path value is escaped and decoded to the same value`(value: String) throws {
        var endpoint = everyPart
        endpoint.barId = value
        let request = try endpoint.request()
        #expect(request.path.split(separator: "/").count == 5)
        #expect(try EveryPart(received(request, by: EveryPart.self)).barId == value)
    }

    @Test func `an error names a stored property that is not a part`() {
        struct Careless: RoutedEndpoint {
            static let route = Route.get("/x")
            typealias Response = NoContent
            var plain = 1
        }
        let writing = #expect(throws: EndpointError.self) { try Careless().request() }
        let reading = #expect(throws: EndpointError.self) { try Careless(EndpointParts()) }
        for error in [writing, reading] {
            #expect(error?.kind == .badDeclaration)
            #expect(
                error?.description
                    == "The endpoint is declared wrongly: 'Careless.plain' must be @Path, @Query, @Header or @Body.")
        }
    }

    @Test func `a part that the CodingKeys leave out is an error, with the names that it may have`() throws {
        struct Forgetful: RoutedEndpoint {
            static let route = Route.get("/x")
            typealias Response = NoContent
            @Query var limit = 10
            @Query var since: Int?
            @Query var after: String?
            @Header var account: String?
            enum CodingKeys: String, CodingKey {
                case limit
                case since = "since[gte]"
            }
        }
        let error = #expect(throws: EndpointError.self) { try Forgetful(after: "b").request() }
        #expect(error?.kind == .badDeclaration)
        let sentence =
            "The endpoint is declared wrongly: 'Forgetful.CodingKeys' name 2 of 4 parts, so the others would not be sent; "
            + "they are among 'since', 'after', 'account'."
        #expect(error?.description == sentence)
        let recorder = SchemaRecorder()
        _ = EndpointDescription(Forgetful.self, by: recorder)
        #expect(recorder.faults == [sentence])
    }

    @Test func `the CodingKeys may leave out a property that is no part of the request`() throws {
        struct Patient: RoutedEndpoint {
            static let route = Route.get("/x")
            typealias Response = NoContent
            var options = CallOptions(deadline: .seconds(60))
            @Query var limit = 10
            enum CodingKeys: String, CodingKey { case limit }
        }
        #expect(try Patient().request().target == "/x?limit=10")
    }

    @Test func `an endpoint that is no struct of parts is an error with its name`() {
        struct Single: RoutedEndpoint {
            static let route = Route.get("/x")
            typealias Response = NoContent
            var text = "a"
            init() {}
            init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(text)
            }
        }
        let writing = #expect(throws: EndpointError.self) { try Single().request() }
        let reading = #expect(throws: EndpointError.self) { try Single(EndpointParts()) }
        for error in [writing, reading] {
            #expect(error?.description.contains("'Single' must be a struct whose stored properties are @Path") == true)
        }
    }

    @Test func `success statuses have their defaults`() {
        #expect(EveryPart.successStatus == 204)
        #expect(NoParts.successStatus == 200)
    }
}
