import FoundationEssentials
import StrataHTTP
import Testing

struct RateLimitStatusTests {
    private let now = Date(timeIntervalSince1970: 1_795_251_600)  // 2026-11-21T09:00:00Z

    private func read(_ fields: [(String, String)]) -> RateLimitStatus? {
        var headers = HeaderFields()
        for (name, value) in fields { headers.add(name, value) }
        return RateLimitStatus(headers, now: now)
    }

    @Test(
        arguments: [
            ([#""default";r=50;t=30"#], [#""default";q=100;w=10"#], 100, 50, 30),
            ([#""default";r=50"#], [], nil, 50, nil),
            ([#""a";r=9;t=1, "b";r=2;t=60"#], [#""a";q=10;w=1,"b";q=5;w=60"#], 5, 2, 60),
            ([#""a";r=9;t=1"#, #""b";r=2;t=60"#], [#""a";q=10"#, #""b";q=5"#], 5, 2, 60),
            ([#""a";r=0;t=1, "b";r=0;t=60"#], [], nil, 0, 60),
            ([#""a;b,c";r=3;pk=:dHJpYWw=:;t=4"#], [#""a;b,c";q=7;qu="content-bytes";w=1"#], 7, 3, 4),
            ([#""a";r=3;t=x"#], [#""other";q=7"#], nil, 3, nil),
            (["limit=100, remaining=50, reset=5"], ["100;w=60"], 100, 50, 5),
            ([#""a";r=x, "b";r=4"#], [], nil, 4, nil),
        ] as [([String], [String], Int?, Int, Int?)])
    func `RateLimit is read with its policy; of several the one with the least left counts`(
        limits: [String], policies: [String], limit: Int?, remaining: Int, reset: Int?
    ) {
        let fields = limits.map { ("RateLimit", $0) } + policies.map { ("ratelimit-policy", $0) }
        #expect(
            read(fields)
                == RateLimitStatus(limit: limit, remaining: remaining, reset: reset.map { .seconds($0) }))
    }

    @Test(arguments: ["RateLimit-", "X-RateLimit-", "x-rate-limit-"])
    func `the older fields are read under each of their names`(prefix: String) {
        let status = read([(prefix + "Limit", "60"), (prefix + "Remaining", "0"), (prefix + "Reset", "1795251607")])
        #expect(status == RateLimitStatus(limit: 60, remaining: 0, reset: .seconds(7)))
        #expect(status?.isExhausted == true)
    }

    @Test(
        arguments: [
            ("0", 0), ("7", 7), ("3600", 3600), ("999999999", 315_360_000), ("1795251607", 7),
            ("1795251607000", 7), ("1795251600500", 1), ("1795251600", 0), ("1000000000", 0), ("1.5", 2),
            ("1795251606.9", 7),
            (" 7 ", 7), ("99999999999999999999999", 315_360_000), ("2026-11-21T09:00:07Z", 7),
            (" 2026-11-21T09:00:06.250Z ", 7), ("2026-11-21T10:30:07+01:30", 7), ("2026-11-21T08:59:59Z", 0),
            ("9999-12-31T23:59:59Z", 315_360_000),
        ] as [(String, Int)])
    func `a reset is a wait or a moment, by its size`(field: String, seconds: Int) {
        #expect(read([("X-RateLimit-Reset", field)])?.reset == .seconds(seconds))
    }

    @Test(arguments: ["1795255207", "2026-11-21T10:00:07.000Z"])
    func `a moment is measured against the date of the response`(moment: String) {
        let status = read([("X-RateLimit-Reset", moment), ("Date", "Sat, 21 Nov 2026 10:00:00 GMT")])
        #expect(status?.reset == .seconds(7))
    }

    @Test(arguments: [
        "-1", "", "soon", "0x7", "٧", "1e3", "1.", ".5", "1.x", "2026-11-21", "2026-11-21T09:00:07",
        "2026-02-30T09:00:07Z",
    ])
    func `any other text is ignored`(field: String) {
        #expect(read([("X-RateLimit-Reset", field), ("X-RateLimit-Remaining", field)]) == nil)
    }

    @Test func `a quota may be the first of a list`() {
        #expect(read([("RateLimit-Limit", "100, 100;w=60, 1000;w=3600")])?.limit == 100)
    }

    @Test func `the newest form counts, and without a field there is nothing`() {
        let old = [("X-RateLimit-Remaining", "9"), ("RateLimit-Remaining", "8")]
        #expect(read(old)?.remaining == 8)
        #expect(read(old + [("RateLimit", #""a";r=7"#)])?.remaining == 7)
        #expect(read(old + [("RateLimit", "garbage")])?.remaining == 8)
        #expect(read([("Retry-After", "7")]) == nil)
        #expect(read([]) == nil)
    }

    @Test(
        arguments: [
            (429, [:], true, nil), (429, ["Retry-After": "7"], true, 7),
            (429, ["Retry-After": "7", "RateLimit": #""a";r=0;t=90"#], true, 7),
            (429, ["RateLimit": #""a";r=0;t=90"#], true, 90), (429, ["RateLimit": #""a";r=3;t=90"#], true, nil),
            (429, ["X-RateLimit-Reset": "60"], true, 60),
            (403, [:], false, nil), (403, ["X-RateLimit-Remaining": "1", "X-RateLimit-Reset": "60"], false, nil),
            (403, ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "60"], true, 60),
            (403, ["X-RateLimit-Remaining": "0"], true, nil), (403, ["Retry-After": "7"], true, 7),
            (403, ["Retry-After": "soon"], false, nil), (403, ["RateLimit": #""person";r=0;t=10"#], false, nil),
            (503, ["Retry-After": "7"], false, 7),
            (503, ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "60"], false, nil),
            (404, ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "60"], false, nil),
        ] as [(Int, HeaderFields, Bool, Int?)])
    func `a refusal is a 429, or a 403 whose fields say so, and Retry-After comes first`(
        status: Int, headers: HeaderFields, isRefusal: Bool, wait: Int?
    ) {
        #expect(RateLimitRefusal.isRefusal(status, headers, now: now) == isRefusal)
        #expect(RateLimitRefusal.wait(status, headers, now: now) == wait.map { .seconds($0) })
    }
}
