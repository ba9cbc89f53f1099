import FoundationEssentials
import StrataDomain
import Testing

@testable import StrataCaching
@testable import StrataHTTPCache

struct CacheDecisionTests {
    /// What is done with a request so many seconds after `clockStart`, in a word.
    private func word(
        _ control: String, at seconds: Double, asking: [(String, String)] = [], method: String = "GET",
        policy: HTTPCachePolicy = .standard, mode: CacheMode = .private, fields: [(String, String)] = [],
        invalidated: Bool = false
    ) -> String {
        var response = StoredResponse.sample([("Cache-Control", control)] + fields)
        response.isInvalidated = invalidated
        return word([response], at: seconds, asking: asking, method: method, policy: policy, mode: mode)
    }

    private func word(
        _ stored: [StoredResponse], at seconds: Double, asking: [(String, String)] = [], method: String = "GET",
        policy: HTTPCachePolicy = .standard, mode: CacheMode = .private
    ) -> String {
        let request = CacheRequest(
            method: method, url: CacheBench.url, fields: HeaderFields(asking), policy: policy)
        let now = clockStart.addingTimeInterval(seconds)
        switch CacheDecision.decide(request, stored: stored, now: now, rules: CacheRules(mode: mode)) {
        case .serve: return "fresh"
        case .servePart(_, let place, _): return place.text
        case .rangeNotSatisfiable: return "416"
        case .serveStale(_, _, let behind): return behind ? "stale+behind" : "stale"
        case .unsatisfiable: return "504"
        case .fetch(let fetch):
            let conditions = fetch.conditions.map(\.name).joined(separator: ",")
            return ([fetch.reason.rawValue] + (conditions.isEmpty ? [] : [conditions])).joined(separator: " ")
        }
    }

    @Test func `an empty store is a miss`() {
        #expect(word([], at: 0) == "uri-miss")
        #expect(word([], at: 0, policy: .reload) == "uri-miss")
        #expect(word([], at: 0, policy: .onlyIfCached) == "504")
        #expect(word([], at: 0, asking: [("Cache-Control", "only-if-cached")]) == "504")
    }

    @Test(
        arguments: [
            ("max-age=60", 59.0, "fresh"), ("max-age=60", 60, "stale"), ("max-age=0", 0, "stale"),
            ("no-cache, max-age=60", 0, "request"),
            ("no-cache=\"a\", max-age=60", 0, "fresh"), ("max-age=60, must-revalidate", 59, "fresh"),
            ("max-age=60, stale-while-revalidate=10", 70, "stale+behind"),
            ("max-age=60, stale-while-revalidate=10", 71, "stale"),
            ("max-age=60, stale-while-revalidate=10, must-revalidate", 65, "stale"),
            ("max-age=60, stale-while-revalidate=10, no-cache", 65, "stale"),
            ("max-age=60, stale-while-revalidate=10, proxy-revalidate", 65, "stale+behind"),
            ("max-age=60, stale-while-revalidate=10, s-maxage=60", 65, "stale+behind"),
            ("max-age=60, stale-while-revalidate=x", 65, "stale"), ("max-age=60, stale-if-error=100", 65, "stale"),
        ] as [(String, Double, String)])
    func `response directives decide about reuse`(control: String, seconds: Double, expected: String) {
        // `stale` and `request` are reasons to ask the origin here: there is nothing else without max-stale.
        #expect(word(control, at: seconds) == expected)
    }

    @Test(arguments: ["proxy-revalidate", "s-maxage=60"])
    func `some directives count in a shared cache only`(directive: String) {
        let control = "max-age=60, stale-while-revalidate=10, \(directive)"
        #expect(word(control, at: 65, mode: .shared) == "stale")
        #expect(word(control, at: 65, asking: [("Cache-Control", "max-stale")], mode: .shared) == "stale")
        #expect(word(control, at: 65, mode: .private) == "stale+behind")
    }

    @Test(
        arguments: [
            ("max-age=0", 1.0, "request"), ("max-age=0", 0, "request"), ("max-age=30", 30, "fresh"),
            ("max-age=30", 31, "request"),
            ("max-age=x", 31, "fresh"), ("min-fresh=10", 50, "fresh"), ("min-fresh=10", 51, "request"),
            ("min-fresh=99999999999999", 0, "request"), ("no-cache", 0, "request"), ("no-store", 0, "bypass"),
            ("only-if-cached", 0, "fresh"), ("only-if-cached", 60, "504"), ("only-if-cached, max-stale", 600, "stale"),
            ("only-if-cached, no-cache", 0, "504"), ("only-if-cached, no-store", 0, "504"), ("max-stale", 61, "stale"),
            ("max-stale=10", 70, "stale"), ("max-stale=10", 71, "stale "), ("max-stale=x", 61, "stale "),
            ("max-stale=\"10\"", 70, "stale"), ("max-stale, max-age=5", 61, "stale "),
            ("max-stale, max-age=90", 61, "stale"),
            ("max-stale, no-cache", 61, "stale "), ("nothing-to-see-here", 0, "fresh"),
            ("foo, max-age=0", 1, "request"),
        ] as [(String, Double, String)])
    func `request directives decide about freshness`(control: String, seconds: Double, expected: String) {
        let fields = [("ETag", "\"a\"")]
        let asked = word("max-age=60", at: seconds, asking: [("Cache-Control", control)], fields: fields)
        let isFetch = ["request", "stale "].contains(expected)
        #expect(asked == (isFetch ? expected.trimmed + " If-None-Match" : expected))
    }

    @Test(arguments: ["must-revalidate", "no-cache"])
    func `max-stale does not beat a response that must be validated`(directive: String) {
        let fields = [("ETag", "\"a\"")]
        let control = "max-age=60, \(directive)"
        #expect(
            word(control, at: 61, asking: [("Cache-Control", "max-stale")], fields: fields) == "stale If-None-Match")
        #expect(word(control, at: 61, policy: .cacheElseLoad, fields: fields) == "stale If-None-Match")
        #expect(word(control, at: 61, policy: .onlyIfCached, fields: fields) == "504")
    }

    @Test(
        arguments: [
            (HTTPCachePolicy.standard, "fresh", "stale If-None-Match"), (.reload, "request", "request"),
            (.revalidate, "request If-None-Match", "stale If-None-Match"), (.cacheElseLoad, "fresh", "stale"),
            (.onlyIfCached, "fresh", "stale"), (.noStore, "bypass", "bypass"),
        ] as [(HTTPCachePolicy, String, String)])
    func `a policy decides for its call`(policy: HTTPCachePolicy, young: String, old: String) {
        let fields = [("ETag", "\"a\"")]
        #expect(word("max-age=60", at: 0, policy: policy, fields: fields) == young)
        #expect(word("max-age=60", at: 1000, policy: policy, fields: fields) == old)
    }

    @Test func `immutable prevents the revalidation of a reload, not of a stale response or no-cache`() {
        let (control, fields) = ("max-age=60, immutable", [("ETag", "\"a\"")])
        let reload = [("Cache-Control", "max-age=0")]
        #expect(word(control, at: 30, asking: reload, fields: fields) == "fresh")
        #expect(word(control, at: 60, asking: reload, fields: fields) == "stale If-None-Match")
        #expect(
            word(control, at: 30, asking: [("Cache-Control", "no-cache")], fields: fields) == "request If-None-Match")
    }

    @Test func `Pragma has no effect`() {
        #expect(word("max-age=60", at: 0, asking: [("Pragma", "no-cache")]) == "fresh")
        #expect(word("max-age=60", at: 0, fields: [("Pragma", "no-cache")]) == "fresh")
    }

    @Test func `an invalidated response is revalidated before it is served`() {
        let fields = [("ETag", "\"a\"")]
        for policy in HTTPCachePolicy.allCases where policy != .noStore && policy != .reload {
            let expected = policy == .onlyIfCached ? "504" : "stale If-None-Match"
            let done = word(
                "max-age=60, stale-while-revalidate=60", at: 1, policy: policy, fields: fields, invalidated: true)
            #expect(done == expected)
        }
    }

    @Test(
        arguments: [
            ([("ETag", "\"a\"")], "If-None-Match"),
            ([("Last-Modified", HTTPDate.string(from: clockStart))], "If-Modified-Since"),
            (
                [("ETag", "W/\"a\""), ("Last-Modified", HTTPDate.string(from: clockStart))],
                "If-None-Match,If-Modified-Since"
            ),
            ([("Last-Modified", "yesterday")], ""), ([("ETag", "")], ""), ([("ETag", "a")], "If-None-Match"),
        ] as [([(String, String)], String)])
    func `a stale response is revalidated by its validators`(fields: [(String, String)], conditions: String) {
        #expect(word("max-age=1", at: 5, fields: fields) == ("stale " + conditions).trimmed)
    }

    @Test(arguments: ["PUT", "POST", "DELETE", "OPTIONS", "M-SEARCH"])
    func `other methods go to the origin`(method: String) {
        #expect(word("max-age=60", at: 0, method: method) == "method")
    }

    @Test func `HEAD is answered by a stored response to GET, and forwarded without conditions`() {
        #expect(word("max-age=60", at: 0, method: "HEAD") == "fresh")
        #expect(word("max-age=60", at: 61, method: "HEAD", fields: [("ETag", "\"a\"")]) == "stale")
    }

    @Test(arguments: ["If-Match", "If-Unmodified-Since"])
    func `preconditions are the origin's to judge`(name: String) {
        #expect(word("max-age=60", at: 0, asking: [(name, "\"a\"")]) == "bypass")
    }

    @Test func `the latest of several that match is used, and none that does not`() {
        var (old, new) = (
            StoredResponse.sample([("Cache-Control", "max-age=60")]), StoredResponse.sample([("Vary", "Foo")])
        )
        old.status = 203
        new.fields.add("Cache-Control", "max-age=60")
        let decide: (HeaderFields) -> Int? = { fields in
            let request = CacheRequest(url: CacheBench.url, fields: fields)
            let decision = CacheDecision.decide(request, stored: [new, old], now: clockStart, rules: CacheRules())
            if case .serve(let response, _) = decision { return response.status }
            return nil
        }
        #expect(decide([:]) == 200)
        #expect(decide(["Foo": "1"]) == 203)
        let request = CacheRequest(url: CacheBench.url, fields: ["Foo": "1"])
        let decision = CacheDecision.decide(request, stored: [new], now: clockStart, rules: CacheRules())
        #expect(decision == .fetch(.init(reason: .varyMiss)))
    }

    // MARK: - Ranges

    @Test(arguments: [
        ("bytes=0-1", "bytes 0-1/10"), ("bytes=-1", "bytes 9-9/10"), ("bytes=5-99", "bytes 5-9/10"),
        ("bytes=10-", "416"),
        ("bytes=3-1", "fresh"), ("bytes=0-1,3-4", "fresh"), ("lines=0-1", "fresh"),
    ])
    func `a range is served from a whole response; an invalid range gets the whole`(range: String, expected: String) {
        #expect(word("max-age=60", at: 0, asking: [("Range", range)]) == expected)
    }

    @Test(arguments: [
        ("\"a\"", "bytes 0-1/10"), ("\"b\"", "fresh"), ("W/\"a\"", "fresh"),
        (HTTPDate.string(from: clockStart.addingTimeInterval(-60)), "bytes 0-1/10"),
        (HTTPDate.string(from: clockStart), "fresh"), ("nonsense", "fresh"), ("", "fresh"),
    ])
    func `If-Range decides whether a range of the stored response is served`(condition: String, expected: String) {
        let fields = [
            ("ETag", "\"a\""), ("Last-Modified", HTTPDate.string(from: clockStart.addingTimeInterval(-60))),
            ("Date", HTTPDate.string(from: clockStart)),
        ]
        let asking = [("Range", "bytes=0-1"), ("If-Range", condition)]
        #expect(word("max-age=60", at: 0, asking: asking, fields: fields) == expected)
    }

    @Test(arguments: [
        ("bytes=4-8", "bytes 4-8/10"), ("bytes=5-6", "bytes 5-6/10"), ("bytes=4-9", "bytes 4-9/10"),
        ("bytes=-5", "bytes 5-9/10"),
        ("bytes=6-", "bytes 6-9/10"), ("bytes=3-5", "partial"), ("bytes=0-", "partial"), ("bytes=-7", "partial"),
        ("bytes=4-5,7-8", "partial"),
    ])
    func `a stored part answers ranges inside it`(range: String, expected: String) {
        let part = StoredResponse.sample(
            [("Cache-Control", "max-age=60"), ("Content-Range", "bytes 4-9/10")], status: 206, length: 6, range: 4..<10)
        #expect(word([part], at: 0, asking: [("Range", range)]) == expected)
    }

    @Test func `a stored beginning asks for the rest, if the origin can tell that it is the same`() {
        let fields = [("Cache-Control", "max-age=60"), ("Content-Range", "bytes 0-4/10")]
        let part: ([(String, String)], Range<Int>) -> [StoredResponse] = {
            [StoredResponse.sample(fields + $0, status: 206, length: 5, range: $1)]
        }
        #expect(word(part([("ETag", "\"a\"")], 0..<5), at: 0) == "partial Range,If-Range")
        #expect(word(part([("ETag", "\"a\"")], 0..<5), at: 0, asking: [("If-None-Match", "\"b\"")]) == "partial")
        #expect(word(part([("ETag", "W/\"a\"")], 0..<5), at: 0) == "partial")
        #expect(word(part([], 0..<5), at: 0) == "partial")
        #expect(word(part([("ETag", "\"a\"")], 1..<6), at: 0) == "partial")
    }
}
