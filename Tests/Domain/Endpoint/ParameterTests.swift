import FoundationEssentials
import StrataDomain
import Testing

private enum Kind: Int, ParameterValue {
    case small = 1
    case large
}
private enum Level: String, ParameterValue { case low, high }

/// Values of every kind, as a foreign API takes them. Only the client needs its response.
private struct Search: RoutedEndpoint {
    static let route = Route.get("/v1/{id}/levels/{kind}")
    struct Response: Decodable, Sendable { var count: Int }

    @Path var id: UUID
    @Path var kind: Kind
    @Query var lat: Double
    @Query var level: Level?
    @Query var open: Open<Level>?
    @Query var page: Int?
    @Query var pageSize = 50
    @Query var isDeep: Bool?
    @Query var since: Date?
    @Query var weights: [Double] = []
    @Query var total: UInt64? = nil
    @CommaQuery var ids: [Int] = []
    @SpaceQuery var words: [String] = []
    @PipeQuery var prices: [Decimal] = []
    @Query var ratio: Float?
    @BracketQuery var tags: [String] = []
    @Header var ifNoneMatch: EntityTag?
}

private struct Find: RoutedEndpoint {
    static let route = Route.get("/")
    typealias Response = NoContent
    @CommaQuery var names: [String] = []
    @SpaceQuery var words: [String] = []
    @PipeQuery var bars: [String] = []
}

struct ParameterTests {
    private static let id = UUID(uuid: (0xAB, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 1))
    private let sparse = Search(id: id, kind: .large, lat: 52)
    private let full = Search(
        id: id, kind: .small, lat: -0.25, level: .high, open: .unknown("mid"), page: 0, pageSize: 10, isDeep: false,
        since: Date(timeIntervalSince1970: 1_795_251_900), weights: [1, 2.5, 1e-7], total: .max, ids: [1, -2],
        words: ["a,b", "c|d"], prices: [0.1, 12], ratio: 0.1, tags: ["a b", "a,b", ""], ifNoneMatch: EntityTag("v1"))

    private func items(_ request: EndpointRequest) -> [String] { request.query.items.map { "\($0.name)=\($0.value)" } }

    @Test func `optional parts and parts with a default need no argument`() throws {
        let request = try sparse.request()
        #expect(request.path == "/v1/ab000000-0000-4000-8000-000000000001/levels/2")
        #expect(items(request) == ["lat=52", "page_size=50"])
        #expect(request.headers.isEmpty)
    }

    @Test func `values of every kind are written as text, and lists in their style`() throws {
        #expect(
            items(try full.request()) == [
                "lat=-0.25", "level=high", "open=mid", "page=0", "page_size=10", "is_deep=false",
                "since=2026-11-21T09:05:00.000Z", "weights=1", "weights=2.5", "weights=1e-07",
                "total=18446744073709551615",
                "ids=1,-2", "words=a,b c|d", "prices=0.1|12", "ratio=0.1", "tags[]=a b", "tags[]=a,b", "tags[]=",
            ])
    }

    @Test func `a server reads the parameters that the client wrote`() throws {
        for search in [sparse, full] {
            let request = try search.request()
            #expect(try Search(received(request, by: Search.self)).request() == request)
        }
    }

    @Test(arguments: [
        ("lat", "nan"), ("lat", "inf"), ("lat", "0x1p3"), ("lat", ""), ("lat", " 1"), ("lat", "1,5"), ("lat", "1e999"),
        ("level", "HIGH"), ("level", ""), ("page", "1.5"), ("is_deep", "1"), ("since", "2026-11-21"), ("weights", "x"),
        ("total", "-1"), ("total", "18446744073709551616"), ("ids", ""), ("ids", "1,,2"), ("ids", "1;2"), ("ids", ","),
        ("ids", "1,"), ("ids", "x"), ("words", ""), ("words", "a  b"), ("prices", "1,2"), ("prices", "1||2"),
        ("prices", "nan"),
        ("prices", "1-2"), ("prices", "0x1"), ("ratio", "1e99"),
    ])
    func `a value of another kind is malformed, optional or not`(name: String, value: String) throws {
        var parts = try received(sparse.request(), by: Search.self)
        var query = QueryItems()
        for item in parts.query.items where item.name != name { query.add(item.name, item.value) }
        query.add(name, value)
        parts.query = query
        let error = #expect(throws: EndpointError.self) { try Search(parts) }
        #expect(error?.kind == .malformed)
        #expect(error?.key == name)
    }

    @Test func `a list with commas is sent once`() throws {
        var parts = try received(full.request(), by: Search.self)
        parts.query.add("ids", "3")
        #expect(throws: EndpointError.self) { try Search(parts) }
    }

    @Test(arguments: [("id", "x"), ("id", ""), ("kind", "3"), ("kind", "large"), ("kind", "")])
    func `a path value of another kind is malformed, and one that is not there missing`(name: String, value: String)
        throws
    {
        var parts = try received(sparse.request(), by: Search.self)
        parts.pathParameters[name] = value
        let error = #expect(throws: EndpointError.self) { try Search(parts) }
        #expect(error?.kind == .malformed && error?.place == .path && error?.key == name)
        parts.pathParameters[name] = nil
        let missing = #expect(throws: EndpointError.self) { try Search(parts) }
        #expect(missing?.kind == .missing && missing?.key == name)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, .signalingNaN])
    func `a number that is not finite is not sent`(number: Double) {
        var search = sparse
        search.lat = number
        let error = #expect(throws: EndpointError.self) { try search.request() }
        #expect(error.map { "\($0)" } == "query 'lat' must be a finite number.")
        search = sparse
        search.weights = [1, number]
        #expect(throws: EndpointError.self) { try search.request() }
    }

    @Test(arguments: [["a,b"], [""], ["a", ""]])
    func `a text with a comma, or without a character, is not sent in a list with commas`(texts: [String]) {
        let error = #expect(throws: EndpointError.self) { try Find(names: texts).request() }
        #expect(error?.key == "names")
    }

    @Test(arguments: [(["a b"], ["a"], "words"), (["a"], ["a|b"], "bars"), ([""], [], "words"), ([], [""], "bars")])
    func `a text with the sign of its list is not sent in it`(words: [String], bars: [String], key: String) {
        let error = #expect(throws: EndpointError.self) { try Find(words: words, bars: bars).request() }
        #expect(error?.key == key)
        #expect(
            error.map { "\($0)" }?.contains(key == "words" ? "no space, separated by spaces" : "no vertical bar")
                == true)
    }

    @Test(arguments: [0, -0.5, 1e21, 0.1, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 1.0 / 3] as [Double])
    func `a number is read as it was written`(number: Double) {
        #expect(Double(parameter: number.parameter) == number)
        #expect(!number.parameter.hasSuffix(".0"))
    }

    @Test func `an accent behind the sign of a list belongs to the next text`() throws {
        let find = Find(words: ["a", "\u{301}b"], bars: ["c", "\u{301}d"])
        let read = try Find(received(find.request(), by: Find.self))
        #expect(read.words.map { Array($0.unicodeScalars) } == find.words.map { Array($0.unicodeScalars) })
        #expect(read.bars == find.bars)
        #expect(throws: EndpointError.self) { try Find(bars: ["a|\u{301}b"]).request() }
    }

    @Test func `a decimal number that would be cut is refused`() {
        #expect(Decimal(parameter: "0.12345678901234567890123456789012345678") != nil)
        #expect(Decimal(parameter: "0.123456789012345678901234567890123456789") == nil)
    }

    @Test(arguments: ["0", "-12.5", "0.1", "79228162514264337593543950335", "0.000000000000000000001"])
    func `a decimal number is exact`(text: String) {
        #expect(Decimal(parameter: text)?.parameter == text)
        #expect(Decimal(parameter: "+" + text) == Decimal(parameter: text) || text.hasPrefix("-"))
    }

    @Test func `an enumeration names its values in an error`() {
        #expect(Grade.parameterKind == "one of neap, spring")
        #expect(Kind.parameterKind == "a value of Kind")
    }
}
