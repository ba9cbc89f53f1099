import FoundationEssentials
import StrataDomain
import Testing

@testable import StrataCaching
@testable import StrataHTTPCache

struct StorabilityTests {
    typealias Refusal = Storability.Refusal

    private func refusal(
        _ fields: [(String, String)], _ request: [(String, String)] = [], method: String = "GET", status: Int = 200,
        _ mode: CacheMode = .private
    ) -> Refusal? {
        let asked = CacheRequest(method: method, url: CacheBench.url, fields: HeaderFields(request))
        return Storability.refusal(
            asked, status: status, fields: HeaderFields(fields), at: clockStart, rules: CacheRules(mode: mode))
    }

    @Test(
        arguments: [
            ("max-age=60", nil, nil), ("no-store", .noStore, .noStore), ("max-age=60, no-store", .noStore, .noStore),
            ("private, max-age=60", nil, .private), ("private=\"a\", max-age=60", nil, nil),
            ("private=\"\", max-age=60", nil, .private), ("private, private=\"a\", max-age=60", nil, .private),
            ("public, max-age=60", nil, nil), ("s-maxage=60", .noUse, nil),
            ("max-age=60, no-store, must-understand", nil, nil),
            ("no-cache", .noUse, .noUse), ("max-age=60, no-cache", .noUse, .noUse),
            ("no-cache=\"a\", max-age=60", nil, nil),
            ("nonsense", .noUse, .noUse), ("", .noUse, .noUse), ("max-age=x", nil, nil),
            ("no-cache=\"a, no-store", .noStore, .noStore),
        ] as [(String, Refusal?, Refusal?)])
    func `directives of the response decide whether it is stored`(control: String, mine: Refusal?, ours: Refusal?) {
        #expect(refusal([("Cache-Control", control)], .private) == mine)
        #expect(refusal([("Cache-Control", control)], .shared) == ours)
    }

    private func refusal(_ fields: [(String, String)], _ mode: CacheMode) -> Refusal? {
        refusal(fields, [], method: "GET", status: 200, mode)
    }

    @Test(
        arguments: [
            ("max-age=60", .authorization), ("max-age=60, public", nil), ("max-age=60, must-revalidate", nil),
            ("s-maxage=60", nil),
            ("s-maxage=x, max-age=60", .authorization), ("public", .noUse),
        ] as [(String, Refusal?)])
    func `a shared cache stores a response to a credential only if a directive allows it`(
        control: String, why: Refusal?
    ) {
        let request = [("Authorization", "Bearer x")]
        #expect(refusal([("Cache-Control", control)], request, .shared) == why)
        #expect(refusal([("Cache-Control", "max-age=60")], request, .private) == nil)
        #expect(refusal([("Cache-Control", "max-age=60")], [("Authorization", "")], .shared) == .authorization)
    }

    @Test(
        arguments: [
            ("max-age=60", .cookie), ("s-maxage=60", .cookie), ("public, max-age=60", nil),
            ("max-age=60, no-cache=\"set-cookie\"", nil), ("max-age=60, private=\"Set-Cookie\"", nil),
            ("max-age=60, private=\"a\"", .cookie),
        ] as [(String, Refusal?)])
    func `a shared cache stores a response with a cookie only if a directive allows it`(
        control: String, why: Refusal?
    ) {
        let fields = [("Cache-Control", control), ("Set-Cookie", "a=1")]
        #expect(refusal(fields, .shared) == why)
        #expect(refusal([("Cache-Control", "max-age=60"), ("Set-Cookie", "a=1")], .private) == nil)
    }

    @Test(arguments: [200, 203, 204, 299, 300, 301, 302, 303, 307, 308, 400, 404, 410, 499, 500, 502, 503, 504, 599])
    func `any final status with a lifetime is stored`(status: Int) {
        #expect(refusal([("Cache-Control", "max-age=60")], status: status) == nil)
    }

    @Test(arguments: [
        (100, Refusal.status), (103, .status), (199, .status), (304, .status), (600, .status), (999, .status),
        (0, .status),
        (-1, .status), (206, .badRange),
    ])
    func `a status that is not final is not stored`(status: Int, why: Refusal) {
        #expect(refusal([("Cache-Control", "max-age=60")], status: status) == why)
    }

    @Test(arguments: [201, 202, 302, 307, 403, 500, 502, 503, 599])
    func `a status that is not cacheable by itself needs a lifetime, not just a date`(status: Int) {
        #expect(refusal([("Last-Modified", HTTPDate.string(from: clockStart))], status: status) == .noUse)
    }

    @Test func `must-understand forbids to store an unknown status`() {
        let fields = [("Cache-Control", "max-age=60, no-store, must-understand")]
        #expect(refusal(fields, status: 599) == .notUnderstood)
        #expect(refusal(fields, status: 200) == nil)
    }

    @Test(arguments: ["*", "*, *", ", *", "Foo, *", "*, Foo", "a b", "a:b", "é"])
    func `a response with a Vary that no request matches is not stored`(vary: String) {
        #expect(refusal([("Cache-Control", "max-age=60"), ("Vary", vary)]) == .varyStar)
    }

    @Test(arguments: ["HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "M-SEARCH", "PROPFIND", "get"])
    func `only responses to GET are stored`(method: String) {
        #expect(refusal([("Cache-Control", "max-age=60")], method: method) == .method)
    }

    @Test(
        arguments: [
            ("/bar?station=BAR7", "max-age=60", nil), (CacheBench.url, "max-age=60", nil), ("", "max-age=60", nil),
            ("?station=BAR7", "max-age=60", nil), ("/other", "max-age=60", .method),
            ("/bar?station=BAR7", "public", .method),
            ("http://other.example/bar?station=BAR7", "max-age=60", .method),
        ] as [(String, String, Refusal?)])
    func `a response to POST is stored if it stands for the response to GET`(
        place: String, control: String, why: Refusal?
    ) {
        let fields = [("Content-Location", place), ("Cache-Control", control)]
        #expect(refusal(fields, method: "POST") == why)
        #expect(refusal([("Cache-Control", control)], method: "POST") == .method)
    }

    @Test func `no-store in a request forbids to store the response`() {
        #expect(refusal([("Cache-Control", "max-age=60")], [("Cache-Control", "no-store")]) == .requestNoStore)
        #expect(
            refusal([("Cache-Control", "max-age=60")], [("Cache-Control", "a"), ("Cache-Control", "no-store")])
                == .requestNoStore)
    }

    @Test func `fields of the connection, and those that may not be reused, are not stored`() {
        let fields: HeaderFields = [
            "Connection": "A, b", "a": "1", "B": "2", "c": "3",
            "Keep-Alive": "timeout=5",
            "Proxy-Authenticate": "x", "Proxy-Authentication-Info": "x", "Proxy-Connection": "x",
            "TE": "x", "Transfer-Encoding": "chunked", "Upgrade": "x",
            "Proxy-Authorization": "x",
            "Set-Cookie": "a=1", "Set-Cookie": "b=2", "d": "4", "e": "5",
            "Cache-Control": "max-age=1, no-cache=\"D\", private=\"e\"", "Cache-Status": "other; hit",
            "Date": "x",
        ]
        let names: (CacheMode) -> [String] = { mode in
            Storability.stored(fields, at: clockStart, rules: CacheRules(mode: mode)).map(\.name)
        }
        #expect(names(.private) == ["c", "Set-Cookie", "Set-Cookie", "e", "Cache-Control", "Date"])
        #expect(names(.shared) == ["c", "Set-Cookie", "Set-Cookie", "Cache-Control", "Date"])
    }

    @Test func `a response without a date gets the one of its arrival`() {
        let stored = Storability.stored([:], at: clockStart, rules: CacheRules())
        #expect(stored == ["Date": "Sat, 21 Nov 2026 09:00:00 GMT"])
    }

    @Test func `a response is kept for its lifetime and the time it may be stale`() {
        let rules = CacheRules(keepsStale: 100)
        let until: (String) -> Double = {
            Storability.keptUntil(.sample([("Cache-Control", $0)]), rules: rules).timeIntervalSince(clockStart)
        }
        #expect(until("max-age=60") == 160)
        #expect(until("max-age=60, stale-while-revalidate=1000") == 1060)
        #expect(until("max-age=60, stale-if-error=2000") == 2060)
        #expect(until("max-age=99999999999999999999") == 2_147_483_748)
    }
}
