import FoundationEssentials
import StrataDomain
import Testing

@testable import StrataCaching
@testable import StrataHTTPCache

struct StaleUseTests {
    private func mayServe(
        _ control: String, late seconds: Double = 40, asking: String = "", mode: CacheMode = .private,
        policy: HTTPCachePolicy = .standard, rules: CacheRules? = nil, invalidated: Bool = false
    ) -> Bool {
        var response = StoredResponse.sample([("Cache-Control", "max-age=60, " + control)])
        response.isInvalidated = invalidated
        let request = CacheRequest(
            url: CacheBench.url, fields: asking.isEmpty ? [:] : ["Cache-Control": asking], policy: policy)
        return StaleUse.isAllowed(
            response, for: request, because: .failure, now: clockStart.addingTimeInterval(60 + seconds),
            rules: rules ?? CacheRules(mode: mode))
    }

    @Test(
        arguments: [
            ("", 40.0, true), ("", 30 * 86_400, true), ("", 30 * 86_400 + 1, false), ("stale-if-error=40", 40, true),
            ("stale-if-error=40", 41, false), ("stale-if-error=0", 1, false), ("stale-if-error=x", 1, false),
            ("must-revalidate", 1, false), ("no-cache", 1, false), ("no-cache=\"a\"", 1, true),
            ("proxy-revalidate", 1, true),
            ("s-maxage=60", 1, true), ("must-revalidate, stale-if-error=100", 1, false), ("immutable", 1, true),
        ] as [(String, Double, Bool)])
    func `a stale response is served in place of a 5xx unless a directive forbids it`(
        control: String, late: Double, expected: Bool
    ) {
        #expect(mayServe(control, late: late) == expected)
    }

    @Test(arguments: [
        "must-revalidate", "no-cache", "proxy-revalidate", "s-maxage=60", "s-maxage=60, stale-if-error=100",
    ])
    func `in a shared cache more forbids it`(control: String) { #expect(!mayServe(control, late: 1, mode: .shared)) }

    @Test(
        arguments: [
            ("no-cache", false), ("max-age=10", false), ("max-age=0", false), ("min-fresh=1", false),
            ("stale-if-error=40", true),
            ("stale-if-error=39", false), ("max-stale", true), ("max-stale=40", true), ("max-stale=39", false),
            ("foo", true),
            ("max-age=10, stale-if-error=100", true), ("no-cache, stale-if-error=100", true),
        ] as [(String, Bool)])
    func `a request may forbid it or ask for it`(asking: String, expected: Bool) {
        #expect(mayServe("", asking: asking) == expected)
    }

    @Test func `a reload is not answered with a stale response`() {
        #expect(!mayServe("", policy: .reload))
        #expect(!mayServe("", policy: .revalidate))
        #expect(mayServe("", policy: .cacheElseLoad))
    }

    @Test func `the option disables stale responses after failures, but not stale-if-error`() {
        let rules = CacheRules(servesStaleOnFailure: false)
        #expect(!mayServe("", rules: rules))
        #expect(mayServe("stale-if-error=100", rules: rules))
    }

    @Test func `an invalidated response is not served stale`() {
        #expect(!mayServe("", invalidated: true))
        #expect(!mayServe("stale-if-error=100", asking: "max-stale", invalidated: true))
    }
}
