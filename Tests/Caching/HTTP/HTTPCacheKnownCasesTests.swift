import StrataDomain
import Testing

@testable import StrataCaching

/// The cases other projects found worth a test, named as they name them, with what this cache does.
struct HTTPCacheKnownCasesTests {
    private typealias Case = HTTPCacheScenario

    /// From the list of OkHttp's cache.
    static let okHttp: [HTTPCacheScenario] = [
        Case(name: "expirationDateInTheFuture", response: ["Expires": "@3600"], outcome: .hit),
        Case(
            name: "expirationDateInThePastWithLastModifiedHeader",
            response: ["Last-Modified": "@-7200", "Expires": "@-3600"], outcome: .validated),
        Case(
            name: "expirationDateInThePastWithNoLastModifiedHeader", response: ["Expires": "@-3600"], outcome: .fetched),
        Case(
            name: "expiresDateBeforeModifiedDate", response: ["Last-Modified": "@-3600", "Expires": "@-7200"],
            outcome: .validated),
        Case(
            name: "defaultExpirationDateFullyCachedForLessThan24Hours",
            response: ["Last-Modified": "@-378000", "Date": "@0"], after: 21_600, outcome: .hit),
        Case(
            name: "defaultExpirationDateConditionallyCached", response: ["Last-Modified": "@-36000", "Date": "@-5400"],
            outcome: .validated),
        Case(
            name: "maxAgePreferredWithMaxAgeAndExpires",
            response: ["Date": "@0", "Expires": "@60", "Cache-Control": "max-age=0"], outcome: .fetched),
        Case(
            name: "maxAgeInThePastWithDateAndLastModifiedHeaders",
            response: ["Date": "@-120", "Last-Modified": "@-7200", "Cache-Control": "max-age=60"], outcome: .validated),
        Case(
            name: "maxAgeInThePastWithDateHeaderButNoLastModifiedHeader",
            response: ["Date": "@-120", "Cache-Control": "max-age=60"], outcome: .fetched),
        Case(
            name: "maxAgeInTheFutureWithDateHeader", response: ["Date": "@0", "Cache-Control": "max-age=60"],
            outcome: .hit),
        Case(name: "maxAgeInTheFutureWithNoDateHeader", response: ["Cache-Control": "max-age=60"], outcome: .hit),
        Case(
            name: "maxAgeWithLastModifiedButNoServedDate",
            response: ["Last-Modified": "@-7200", "Cache-Control": "max-age=60"], outcome: .hit),
        Case(
            name: "maxAgePreferredOverLowerSharedMaxAge",
            response: ["Date": "@-120", "Cache-Control": "s-maxage=60, max-age=180"], outcome: .hit),
        Case(
            name: "maxAgePreferredOverHigherMaxAge",
            response: ["Date": "@-120", "Cache-Control": "s-maxage=180, max-age=60"], outcome: .fetched),
        Case(
            name: "foundCachedWithExpiresHeader", status: 302, response: ["Expires": "@3600", "Location": "/x"],
            outcome: .hit),
        Case(name: "foundNotCachedWithoutCacheHeader", status: 302, response: ["Location": "/x"], outcome: .fetched),
        Case(
            name: "temporaryRedirectCachedWithCacheControlHeader", status: 307,
            response: ["Cache-Control": "max-age=60", "Location": "/x"], outcome: .hit),
        Case(
            name: "temporaryRedirectNotCachedWithoutCachingHeader", status: 307, response: ["Location": "/x"],
            outcome: .fetched),
        Case(
            name: "requestMethodOptionsIsNotCached", response: ["Expires": "@3600"], firstMethod: "OPTIONS",
            method: "OPTIONS", outcome: .fetched),
        Case(
            name: "requestMethodPostIsNotCached", response: ["Expires": "@3600"], firstMethod: "POST", outcome: .fetched
        ),
        Case(
            name: "requestMethodTraceIsNotCached", response: ["Expires": "@3600"], firstMethod: "TRACE",
            method: "TRACE", outcome: .fetched),
        Case(
            name: "requestMethodHeadIsNotCached", response: ["Expires": "@3600"], firstMethod: "HEAD", outcome: .fetched
        ),
        Case(name: "postInvalidatesCache", response: ["Expires": "@3600"], between: "POST", outcome: .fetched),
        Case(name: "putInvalidatesCache", response: ["Expires": "@3600"], between: "PUT", outcome: .fetched),
        Case(
            name: "deleteMethodInvalidatesCache", response: ["Expires": "@3600"], between: "DELETE", outcome: .fetched),
        Case(
            name: "putInvalidatesWithNoContentResponse", response: ["Expires": "@3600"], between: "PUT",
            betweenStatus: 204, outcome: .fetched),
        Case(name: "etag", response: ["ETag": "v1"], outcome: .validated),
        Case(
            name: "etagAndExpirationDateInThePast", response: ["ETag": "\"v1\"", "Expires": "@-60"], outcome: .validated
        ),
        Case(name: "etagAndExpirationDateInTheFuture", response: ["ETag": "\"v1\"", "Expires": "@60"], outcome: .hit),
        Case(
            name: "etagConditionCanBeNonAscii", response: ["ETag": "\"α\"", "Cache-Control": "max-age=0"],
            outcome: .validated),
        Case(name: "cacheControlNoCache", response: ["Cache-Control": "no-cache"], outcome: .fetched),
        Case(
            name: "cacheControlNoCacheAndExpirationDateInTheFuture",
            response: ["Cache-Control": "no-cache", "Last-Modified": "@-7200", "Expires": "@3600"], outcome: .validated),
        // Pragma is a request field of HTTP/1.0: RFC 9111, section 5.4, gives it no meaning in a response.
        Case(
            name: "pragmaNoCacheAndExpirationDateInTheFuture", response: ["Pragma": "no-cache", "Expires": "@3600"],
            outcome: .hit),
        Case(name: "cacheControlNoStore", response: ["Cache-Control": "no-store"], outcome: .fetched),
        Case(
            name: "cacheControlNoStoreAndExpirationDateInTheFuture",
            response: ["Cache-Control": "no-store", "Expires": "@3600", "ETag": "\"a\""], outcome: .fetched),
        Case(
            name: "clientSideNoStore", response: ["Cache-Control": "max-age=60"], first: ["Cache-Control": "no-store"],
            outcome: .fetched),
        Case(
            name: "requestMaxAge", response: ["Last-Modified": "@-7200", "Date": "@-60", "Expires": "@3600"],
            second: ["Cache-Control": "max-age=30"], outcome: .validated),
        Case(
            name: "requestMinFresh", response: ["Cache-Control": "max-age=60", "Date": "@0"],
            second: ["Cache-Control": "min-fresh=120"], outcome: .fetched),
        Case(
            name: "requestMaxStale", response: ["Cache-Control": "max-age=120", "Date": "@-240"],
            second: ["Cache-Control": "max-stale=180"], outcome: .hit),
        Case(
            name: "requestMaxStaleDirectiveWithNoValue", response: ["Cache-Control": "max-age=120", "Date": "@-240"],
            second: ["Cache-Control": "max-stale"], outcome: .hit),
        Case(
            name: "requestMaxStaleNotHonoredWithMustRevalidate",
            response: ["Cache-Control": "max-age=120, must-revalidate", "Date": "@-240"],
            second: ["Cache-Control": "max-stale=180"], outcome: .fetched),
        Case(
            name: "requestOnlyIfCachedWithFullResponseCached", response: ["Cache-Control": "max-age=30"],
            second: ["Cache-Control": "only-if-cached"], outcome: .hit),
        Case(
            name: "requestOnlyIfCachedWithConditionalResponseCached",
            response: ["Cache-Control": "max-age=30", "Date": "@-60", "ETag": "\"a\""],
            second: ["Cache-Control": "only-if-cached"], outcome: .gatewayTimeout),
        Case(
            name: "requestCacheControlNoCache", response: ["Last-Modified": "@-120", "Cache-Control": "max-age=60"],
            second: ["Cache-Control": "no-cache"], outcome: .validated),
        Case(
            name: "authorizationRequestFullyCached", response: ["Cache-Control": "max-age=60"],
            first: ["Authorization": "password"], second: ["Authorization": "password"], outcome: .hit),
        Case(
            name: "contentLocationDoesNotPopulateCache",
            response: ["Cache-Control": "max-age=100", "Content-Location": "/other"], outcome: .hit),
        Case(
            name: "varyMatchesChangedRequestHeaderField",
            response: ["Cache-Control": "max-age=60", "Vary": "Accept-Language"], first: ["Accept-Language": "fr-CA"],
            second: ["Accept-Language": "en-US"], outcome: .fetched),
        Case(
            name: "varyMatchesUnchangedRequestHeaderField",
            response: ["Cache-Control": "max-age=60", "Vary": "Accept-Language"], first: ["Accept-Language": "fr-CA"],
            second: ["Accept-Language": "fr-CA"], outcome: .hit),
        Case(
            name: "varyMatchesAbsentRequestHeaderField", response: ["Cache-Control": "max-age=60", "Vary": "Foo"],
            outcome: .hit),
        Case(
            name: "varyMatchesAddedRequestHeaderField", response: ["Cache-Control": "max-age=60", "Vary": "Foo"],
            second: ["Foo": "bar"], outcome: .fetched),
        Case(
            name: "varyMatchesRemovedRequestHeaderField", response: ["Cache-Control": "max-age=60", "Vary": "Foo"],
            first: ["Foo": "bar"], outcome: .fetched),
        Case(
            name: "varyFieldsAreCaseInsensitive", response: ["Cache-Control": "max-age=60", "Vary": "ACCEPT-LANGUAGE"],
            first: ["Accept-Language": "fr-CA"], second: ["accept-language": "fr-CA"], outcome: .hit),
        Case(
            name: "varyMultipleFieldsWithNoMatch",
            response: ["Cache-Control": "max-age=60", "Vary": "Accept-Language, Accept-Charset"],
            first: ["Accept-Language": "fr-CA", "Accept-Charset": "UTF-8"],
            second: ["Accept-Language": "fr-CA", "Accept-Charset": "UTF-16"], outcome: .fetched),
        Case(
            name: "varyMultipleFieldValuesWithNoMatch",
            response: ["Cache-Control": "max-age=60", "Vary": "Accept-Language"],
            first: ["Accept-Language": "fr-CA", "accept-language": "fr-FR"],
            second: ["Accept-Language": "fr-CA", "accept-language": "en-US"], outcome: .fetched),
        Case(name: "varyAsterisk", response: ["Cache-Control": "max-age=60", "Vary": "*"], outcome: .fetched),
        Case(
            name: "partialRangeResponsesDoNotCorruptCache", status: 206,
            response: ["Cache-Control": "max-age=60", "Content-Range": "bytes 100-100/200"],
            first: ["Range": "bytes=100-100"], outcome: .fetched),
        Case(name: "immutableIsCached", response: ["Cache-Control": "immutable, max-age=10"], after: 9, outcome: .hit),
        Case(
            name: "immutableIsNotCachedBeyondFreshnessLifetime", response: ["Cache-Control": "immutable, max-age=1"],
            after: 2, outcome: .fetched),
        Case(
            name: "statisticsConditionalCacheMiss",
            response: ["Last-Modified": "@-3600", "Cache-Control": "max-age=0"], confirms: false, outcome: .fetched),
    ]

    /// From the list of undici's cache interceptor, which is shared by default.
    static let undici: [HTTPCacheScenario] = [
        Case(name: "caches request", mode: .shared, response: ["Cache-Control": "public, max-age=10"], outcome: .hit),
        Case(
            name: "vary directives used to decide which response to use", mode: .shared,
            response: ["Cache-Control": "public, max-age=10", "Vary": "A"], first: ["A": "asd123"],
            second: ["A": "dsa"], outcome: .fetched),
        Case(
            name: "comma-separated Vary values inside repeated header fields are honored", mode: .shared,
            response: ["Cache-Control": "max-age=10", "Vary": "A, B", "vary": "C"], second: ["C": "1"],
            outcome: .fetched),
        Case(
            name: "does not cache responses with wildcard Vary in repeated header fields", mode: .shared,
            response: ["Cache-Control": "max-age=10", "Vary": "A", "vary": "*"], outcome: .fetched),
        Case(
            name: "does not cache responses with malformed Vary field names", mode: .shared,
            response: ["Cache-Control": "max-age=10", "Vary": "bad name"], outcome: .fetched),
        Case(
            name: "stores response with no-cache directive and etag, revalidates it on reuse", mode: .shared,
            response: ["Cache-Control": "no-cache", "ETag": "\"asd\""], outcome: .validated),
        Case(
            name: "stores response with max-age=0 and etag, revalidates it on reuse", mode: .shared,
            response: ["Cache-Control": "max-age=0", "ETag": "\"asd\""], outcome: .validated),
        Case(
            name: "expires caching", mode: .shared, response: ["Date": "@0", "Expires": "@10"], after: 9, outcome: .hit),
        Case(
            name: "expires caching with Etag", mode: .shared,
            response: ["Date": "@0", "Expires": "@10", "ETag": "\"asd\""], after: 11, outcome: .validated),
        Case(
            name: "unsafe methods cause resource to be purged from cache", mode: .shared,
            response: ["Cache-Control": "public, max-age=60"], between: "PATCH", outcome: .fetched),
        Case(
            name: "unsafe methods aren't cached", mode: .shared, response: ["Cache-Control": "public, max-age=60"],
            firstMethod: "POST", outcome: .fetched),
        Case(
            name: "malformed quoted no-cache does not swallow a following no-store directive", mode: .shared,
            response: ["Cache-Control": "max-age=60, no-cache=\"a, no-store", "ETag": "\"a\""], outcome: .fetched),
        Case(
            name: "malformed Last-Modified does not enable heuristic caching", mode: .shared,
            response: ["Last-Modified": "not a date"], outcome: .fetched),
        Case(
            name: "cacheByDefault does not make explicitly stale responses fresh", mode: .shared,
            response: ["Cache-Control": "max-age=0"], outcome: .fetched),
        Case(
            name: "max-age=0 revalidates cached response conditionally", mode: .shared,
            response: ["Cache-Control": "public, max-age=100", "ETag": "\"a\""], second: ["Cache-Control": "max-age=0"],
            outcome: .validated),
        Case(
            name: "no-cache revalidation uses stored Last-Modified as If-Modified-Since", mode: .shared,
            response: ["Cache-Control": "public, max-age=100", "Last-Modified": "@-100"],
            second: ["Cache-Control": "no-cache"], outcome: .validated),
        Case(
            name: "max-age accounts for apparent response age from Date", mode: .shared,
            response: ["Cache-Control": "public, max-age=100", "Date": "@-50"], second: ["Cache-Control": "max-age=40"],
            outcome: .fetched),
        Case(
            name: "max-stale does not override response revalidation requirements", mode: .shared,
            response: ["Cache-Control": "public, max-age=1, proxy-revalidate"],
            second: ["Cache-Control": "max-stale=9"], after: 2, outcome: .fetched),
        Case(
            name: "stale-while-revalidate does not override response revalidation requirements", mode: .shared,
            response: ["Cache-Control": "s-maxage=1, stale-while-revalidate=60"], after: 2, outcome: .fetched),
        Case(
            name: "min-fresh", mode: .shared, response: ["Cache-Control": "public, max-age=10"],
            second: ["Cache-Control": "min-fresh=10"], after: 1, outcome: .fetched),
        // RFC 9111, section 5.4: deprecated, and nobody has to know it.
        Case(
            name: "Pragma no-cache revalidates when Cache-Control is absent", mode: .shared,
            response: ["Cache-Control": "public, max-age=10"], second: ["Pragma": "no-cache"], outcome: .hit),
        Case(
            name: "no-store in repeated request Cache-Control fields prevents storing", mode: .shared,
            response: ["Cache-Control": "public, max-age=10"],
            first: ["Cache-Control": "max-age=5", "cache-control": "no-store"], outcome: .fetched),
        Case(
            name: "future Date header does not extend max-age freshness", mode: .shared,
            response: ["Cache-Control": "max-age=5", "Date": "@3600"], after: 6, outcome: .fetched),
        Case(
            name: "future Date header does not extend Expires freshness", mode: .shared,
            response: ["Expires": "@3605", "Date": "@3600"], after: 6, outcome: .fetched),
        Case(
            name: "Age header reduces remaining max-age freshness", mode: .shared,
            response: ["Cache-Control": "max-age=60", "Age": "50"], after: 11, outcome: .fetched),
        Case(
            name: "caches response when request has Authorization and response has public directive", mode: .shared,
            response: ["Cache-Control": "public, max-age=60"], first: ["Authorization": "x"], outcome: .hit),
        Case(
            name: "caches response when request has Authorization and response has s-maxage directive", mode: .shared,
            response: ["Cache-Control": "s-maxage=60"], first: ["Authorization": "x"], outcome: .hit),
        Case(
            name: "caches response when request has Authorization and response has must-revalidate directive",
            mode: .shared, response: ["Cache-Control": "max-age=60, must-revalidate"], first: ["Authorization": "x"],
            outcome: .hit),
        Case(
            name: "does not cache Authorization response with malformed s-maxage in shared cache", mode: .shared,
            response: ["Cache-Control": "s-maxage=abc, max-age=60"], first: ["Authorization": "x"], outcome: .fetched),
        Case(
            name: "does not cache shared response with empty qualified private directive", mode: .shared,
            response: ["Cache-Control": "max-age=60, private=\"\""], outcome: .fetched),
        Case(
            name: "does not cache response when request has empty Authorization and response only has max-age",
            mode: .shared, response: ["Cache-Control": "max-age=60"], first: ["Authorization": ""], outcome: .fetched),
        Case(
            name: "does not cache response when request has Authorization and no cache directives", mode: .shared,
            response: ["Last-Modified": "@-1000"], first: ["Authorization": "x"], outcome: .fetched),
        Case(
            name: "discriminates caching of conditional requests (if-none-match), or does not cache them",
            mode: .shared, response: ["Cache-Control": "max-age=60", "ETag": "\"a\""],
            second: ["If-None-Match": "\"b\""], outcome: .hit),
    ]

    @Test(arguments: okHttp) func `a case of OkHttp's`(scenario: HTTPCacheScenario) async throws {
        try await scenario.run()
    }

    @Test(arguments: undici) func `a case of undici's`(scenario: HTTPCacheScenario) async throws {
        try await scenario.run()
    }

    @Test func `requestOnlyIfCachedWithNoResponseCached is 504`() async throws {
        let got = try await CacheBench().get(["Cache-Control": "only-if-cached"])
        #expect(got.status == 504)
    }

    @Test func `retainServedDateFormat: a date is sent back as it came`() async throws {
        let served = "Friday, 20-Nov-26 09:00:00 GMT"
        let bench = CacheBench(.private, .ok("A", ["Last-Modified": served, "Expires": "0"]), .notModified())
        try await bench.get()
        try await bench.get()
        #expect(bench.asked("If-Modified-Since") == served)
    }
}
