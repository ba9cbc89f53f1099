import FoundationEssentials
import StrataDomain
import StrataTesting
import Testing

@testable import StrataCaching
@testable import StrataHTTPCache

/// 2026-11-21T09:00:00Z.
let clockStart = ManualWallClock().now

extension HeaderFields {
    init(_ pairs: [(String, String)]) { self.init(pairs.map { Field($0.0, $0.1) }) }
}

extension StoredResponse {
    /// A response that arrived at `clockStart`.
    static func sample(
        _ fields: [(String, String)], status: Int = 200, delay: Double = 0, length: Int = 10, range: Range<Int>? = nil,
        selecting: [(String, String)] = []
    ) -> StoredResponse {
        StoredResponse(
            status: status, fields: HeaderFields(fields),
            selecting: HeaderFields(selecting), requestTime: clockStart.addingTimeInterval(-delay),
            responseTime: clockStart, length: length, range: range)
    }
}

struct FreshnessTests {
    private static func date(_ seconds: Double) -> String {
        HTTPDate.string(from: clockStart.addingTimeInterval(seconds))
    }

    @Test(
        arguments: [
            ([("Cache-Control", "max-age=60")], 60, 60), ([("Cache-Control", "s-maxage=60, max-age=1")], 1, 60),
            ([("Cache-Control", "s-maxage=1, max-age=60")], 60, 1),
            ([("Cache-Control", "max-age=0, s-maxage=60")], 0, 60),
            ([("Cache-Control", "s-maxage=x, max-age=60")], 60, 0),
            ([("Cache-Control", "max-age=x"), ("Expires", date(60))], 0, 0),
            ([("Expires", date(60))], 60, 60), ([("Expires", date(60)), ("Date", date(-10))], 70, 70),
            ([("Expires", date(300)), ("Date", date(400))], 0, 0), ([("Expires", "0")], 0, 0),
            ([("Expires", "")], 0, 0),
            ([("Expires", date(60)), ("Date", "foo")], 60, 60), ([("Expires", date(0)), ("Date", date(0))], 0, 0),
            ([("Expires", date(60)), ("Expires", date(90))], 60, 60),
            ([("Expires", date(-60)), ("Cache-Control", "max-age=9")], 9, 9),
            ([("Last-Modified", date(-1000))], 100, 100),
            ([("Last-Modified", date(-1000)), ("Date", date(-500))], 50, 50),
            ([("Last-Modified", date(1000))], 0, 0), ([("Last-Modified", "yesterday")], 0, 0),
            ([("Last-Modified", date(-10_000_000))], 86_400, 86_400),
            ([("Last-Modified", date(-1000)), ("Expires", "0")], 0, 0),
            ([], 0, 0), ([("Pragma", "no-cache"), ("Cache-Control", "max-age=60")], 60, 60),
            ([("Cache-Control", "max-age=99999999999999999999")], 2_147_483_648, 2_147_483_648),
            ([("Expires", "Fri, 31 Dec 9999 23:59:59 GMT")], 2_147_483_648, 2_147_483_648),
        ] as [([(String, String)], Double, Double)])
    func `the origin's directives give the lifetime, private and shared`(
        fields: [(String, String)], mine: Double, ours: Double
    ) {
        let response = StoredResponse.sample(fields)
        #expect(Freshness(of: response, now: clockStart, rules: CacheRules(mode: .private)).lifetime == mine)
        #expect(Freshness(of: response, now: clockStart, rules: CacheRules(mode: .shared)).lifetime == ours)
    }

    @Test(arguments: [
        (200, true), (201, false), (202, false), (203, true), (204, true), (301, true), (302, false), (308, true),
        (403, false), (404, true), (405, true), (410, true), (414, true), (500, false), (501, true), (503, false),
        (599, false),
    ])
    func `only some statuses have a heuristic lifetime`(status: Int, has: Bool) {
        let fields = [("Last-Modified", Self.date(-1000))]
        let plain = Freshness(of: .sample(fields, status: status), now: clockStart, rules: CacheRules())
        let open = Freshness(
            of: .sample(fields + [("Cache-Control", "public")], status: status), now: clockStart, rules: CacheRules())
        #expect(plain.lifetime == (has ? 100 : 0))
        #expect(open.lifetime == 100)
    }

    @Test(
        arguments: [
            ([], 0, 0, 0), ([("Age", "30")], 0, 5, 35), ([("Age", "30")], 2, 5, 37), ([("Date", date(-20))], 0, 5, 25),
            ([("Date", date(-20)), ("Age", "30")], 0, 0, 30), ([("Date", date(-40)), ("Age", "30")], 0, 0, 40),
            ([("Date", date(20))], 0, 5, 5), ([("Age", "abc")], 0, 0, 0), ([("Age", "-7200")], 0, 0, 0),
            ([("Age", "7200.0")], 0, 0, 0), ([("Age", "7200, 0")], 0, 0, 7200), ([("Age", "0, 7200")], 0, 0, 0),
            ([("Age", "7200"), ("Age", "0")], 0, 0, 7200), ([("Age", "0"), ("Age", "7200")], 0, 0, 0),
            ([("Age", "")], 0, 0, 0),
            ([("Age", "2147483647")], 0, 0, 2_147_483_647), ([("Age", "2147483649")], 0, 0, 2_147_483_648),
            ([("Age", "99999999999999999999999999")], 0, 0, 2_147_483_648), ([("Age", "７")], 0, 0, 0),
        ] as [([(String, String)], Double, Double, Double)])
    func `the age counts the way here and the time since`(
        fields: [(String, String)], delay: Double, waited: Double, age: Double
    ) {
        let response = StoredResponse.sample(fields, delay: delay)
        #expect(Freshness(of: response, now: clockStart.addingTimeInterval(waited), rules: CacheRules()).age == age)
    }

    @Test func `a clock that was set back makes no response fresh`() {
        let response = StoredResponse.sample([("Cache-Control", "max-age=60")])
        #expect(Freshness(of: response, now: clockStart.addingTimeInterval(-30), rules: CacheRules()).isFresh)
        #expect(!Freshness(of: response, now: clockStart.addingTimeInterval(-3600), rules: CacheRules()).isFresh)
        #expect(!Freshness(of: response, now: .distantPast, rules: CacheRules()).isFresh)
        #expect(!Freshness(of: response, now: .distantFuture, rules: CacheRules()).isFresh)
    }

    @Test(
        arguments: [
            (200, [], 60), (204, [], 60), (301, [], 60), (302, [], 0), (302, [("Cache-Control", "public")], 60),
            (404, [], 0), (404, [("Last-Modified", date(-1000))], 100), (500, [], 0),
            (200, [("Last-Modified", date(-1000))], 60), (200, [("Cache-Control", "private")], 60),
            (200, [("Cache-Control", "max-age=5")], 5), (200, [("Cache-Control", "max-age=0")], 0),
            (200, [("Cache-Control", "max-age=x")], 0), (200, [("Expires", "0")], 0), (200, [("Expires", date(7))], 7),
        ] as [(Int, [(String, String)], Double)])
    func `a lifetime of the rules counts for a success or redirect that states none`(
        status: Int, fields: [(String, String)], lifetime: Double
    ) {
        let rules = CacheRules(heuristicLifetime: 60)
        let response = StoredResponse.sample(fields, status: status)
        #expect(Freshness(of: response, now: clockStart, rules: rules).lifetime == lifetime)
    }

    @Test(arguments: [(-1, 0), (0, 0), (.infinity, 2_147_483_648)] as [(Double, Double)])
    func `a lifetime of the rules is bounded`(stated: Double, lifetime: Double) {
        let rules = CacheRules(heuristicLifetime: stated)
        #expect(Freshness(of: .sample([]), now: clockStart, rules: rules).lifetime == lifetime)
    }

    @Test func `a fraction of zero disables heuristic lifetimes`() {
        let rules = CacheRules(heuristicFraction: 0)
        #expect(
            Freshness(of: .sample([("Last-Modified", Self.date(-1000))]), now: clockStart, rules: rules).lifetime == 0)
    }
}
