import StrataDomain
import Testing

@testable import StrataCaching
@testable import StrataHTTPCache

/// Cases of other projects under their own names, with the outcome in this cache.
struct HTTPCacheKnownCasesTests {
    private typealias Case = HTTPCacheScenario

    /// From the list of OkHttp's cache.
    static let okHttp: [HTTPCacheScenario] = [
        Case("expirationDateInTheFuture", "Expires: @3600", .hit),
        Case("expirationDateInThePastWithLastModifiedHeader", "Last-Modified: @-7200 | Expires: @-3600", .validated),
        Case("expirationDateInThePastWithNoLastModifiedHeader", "Expires: @-3600", .fetched),
        Case("expiresDateBeforeModifiedDate", "Last-Modified: @-3600 | Expires: @-7200", .validated),
        Case(
            "defaultExpirationDateFullyCachedForLessThan24Hours",
            "Last-Modified: @-378000 | Date: @0", after: 21_600, .hit),
        Case("defaultExpirationDateConditionallyCached", "Last-Modified: @-36000 | Date: @-5400", .validated),
        Case("maxAgePreferredWithMaxAgeAndExpires", "Date: @0 | Expires: @60 | Cache-Control: max-age=0", .fetched),
        Case(
            "maxAgeInThePastWithDateAndLastModifiedHeaders",
            "Date: @-120 | Last-Modified: @-7200 | Cache-Control: max-age=60", .validated),
        Case(
            "maxAgeInThePastWithDateHeaderButNoLastModifiedHeader",
            "Date: @-120 | Cache-Control: max-age=60", .fetched),
        Case("maxAgeInTheFutureWithDateHeader", "Date: @0 | Cache-Control: max-age=60", .hit),
        Case("maxAgeInTheFutureWithNoDateHeader", "Cache-Control: max-age=60", .hit),
        Case("maxAgeWithLastModifiedButNoServedDate", "Last-Modified: @-7200 | Cache-Control: max-age=60", .hit),
        Case("maxAgePreferredOverLowerSharedMaxAge", "Date: @-120 | Cache-Control: s-maxage=60, max-age=180", .hit),
        Case("maxAgePreferredOverHigherMaxAge", "Date: @-120 | Cache-Control: s-maxage=180, max-age=60", .fetched),
        Case("foundCachedWithExpiresHeader", status: 302, "Expires: @3600 | Location: /x", .hit),
        Case("foundNotCachedWithoutCacheHeader", status: 302, "Location: /x", .fetched),
        Case(
            "temporaryRedirectCachedWithCacheControlHeader",
            status: 307, "Cache-Control: max-age=60 | Location: /x", .hit),
        Case("temporaryRedirectNotCachedWithoutCachingHeader", status: 307, "Location: /x", .fetched),
        Case("requestMethodOptionsIsNotCached", "Expires: @3600", firstMethod: "OPTIONS", method: "OPTIONS", .fetched),
        Case("requestMethodPostIsNotCached", "Expires: @3600", firstMethod: "POST", .fetched),
        Case("requestMethodTraceIsNotCached", "Expires: @3600", firstMethod: "TRACE", method: "TRACE", .fetched),
        Case("requestMethodHeadIsNotCached", "Expires: @3600", firstMethod: "HEAD", .fetched),
        Case("postInvalidatesCache", "Expires: @3600", between: "POST", .fetched),
        Case("putInvalidatesCache", "Expires: @3600", between: "PUT", .fetched),
        Case("deleteMethodInvalidatesCache", "Expires: @3600", between: "DELETE", .fetched),
        Case("putInvalidatesWithNoContentResponse", "Expires: @3600", between: "PUT", betweenStatus: 204, .fetched),
        Case("etag", "ETag: v1", .validated),
        Case("etagAndExpirationDateInThePast", "ETag: \"v1\" | Expires: @-60", .validated),
        Case("etagAndExpirationDateInTheFuture", "ETag: \"v1\" | Expires: @60", .hit),
        Case("etagConditionCanBeNonAscii", "ETag: \"α\" | Cache-Control: max-age=0", .validated),
        Case("cacheControlNoCache", "Cache-Control: no-cache", .fetched),
        Case(
            "cacheControlNoCacheAndExpirationDateInTheFuture",
            "Cache-Control: no-cache | Last-Modified: @-7200 | Expires: @3600", .validated),
        // Pragma is a request field of HTTP/1.0: RFC 9111, section 5.4, gives it no meaning in a response.
        Case("pragmaNoCacheAndExpirationDateInTheFuture", "Pragma: no-cache | Expires: @3600", .hit),
        Case("cacheControlNoStore", "Cache-Control: no-store", .fetched),
        Case(
            "cacheControlNoStoreAndExpirationDateInTheFuture",
            "Cache-Control: no-store | Expires: @3600 | ETag: \"a\"", .fetched),
        Case("clientSideNoStore", "Cache-Control: max-age=60", first: "Cache-Control: no-store", .fetched),
        Case(
            "requestMaxAge",
            "Last-Modified: @-7200 | Date: @-60 | Expires: @3600", second: "Cache-Control: max-age=30", .validated),
        Case(
            "requestMinFresh",
            "Cache-Control: max-age=60 | Date: @0", second: "Cache-Control: min-fresh=120", .fetched),
        Case(
            "requestMaxStale",
            "Cache-Control: max-age=120 | Date: @-240", second: "Cache-Control: max-stale=180", .hit),
        Case(
            "requestMaxStaleDirectiveWithNoValue",
            "Cache-Control: max-age=120 | Date: @-240", second: "Cache-Control: max-stale", .hit),
        Case(
            "requestMaxStaleNotHonoredWithMustRevalidate",
            "Cache-Control: max-age=120, must-revalidate | Date: @-240", second: "Cache-Control: max-stale=180",
            .fetched),
        Case(
            "requestOnlyIfCachedWithFullResponseCached",
            "Cache-Control: max-age=30", second: "Cache-Control: only-if-cached", .hit),
        Case(
            "requestOnlyIfCachedWithConditionalResponseCached",
            "Cache-Control: max-age=30 | Date: @-60 | ETag: \"a\"", second: "Cache-Control: only-if-cached",
            .gatewayTimeout),
        Case(
            "requestCacheControlNoCache",
            "Last-Modified: @-120 | Cache-Control: max-age=60", second: "Cache-Control: no-cache", .validated),
        Case(
            "authorizationRequestFullyCached",
            "Cache-Control: max-age=60", first: "Authorization: password", second: "Authorization: password", .hit),
        Case("contentLocationDoesNotPopulateCache", "Cache-Control: max-age=100 | Content-Location: /other", .hit),
        Case(
            "varyMatchesChangedRequestHeaderField",
            "Cache-Control: max-age=60 | Vary: Accept-Language", first: "Accept-Language: fr-CA",
            second: "Accept-Language: en-US", .fetched),
        Case(
            "varyMatchesUnchangedRequestHeaderField",
            "Cache-Control: max-age=60 | Vary: Accept-Language", first: "Accept-Language: fr-CA",
            second: "Accept-Language: fr-CA", .hit),
        Case("varyMatchesAbsentRequestHeaderField", "Cache-Control: max-age=60 | Vary: Foo", .hit),
        Case(
            "varyMatchesAddedRequestHeaderField",
            "Cache-Control: max-age=60 | Vary: Foo", second: "Foo: bar", .fetched),
        Case(
            "varyMatchesRemovedRequestHeaderField",
            "Cache-Control: max-age=60 | Vary: Foo", first: "Foo: bar", .fetched),
        Case(
            "varyFieldsAreCaseInsensitive",
            "Cache-Control: max-age=60 | Vary: ACCEPT-LANGUAGE", first: "Accept-Language: fr-CA",
            second: "accept-language: fr-CA", .hit),
        Case(
            "varyMultipleFieldsWithNoMatch",
            "Cache-Control: max-age=60 | Vary: Accept-Language, Accept-Charset",
            first: "Accept-Language: fr-CA | Accept-Charset: UTF-8",
            second: "Accept-Language: fr-CA | Accept-Charset: UTF-16", .fetched),
        Case(
            "varyMultipleFieldValuesWithNoMatch",
            "Cache-Control: max-age=60 | Vary: Accept-Language",
            first: "Accept-Language: fr-CA | accept-language: fr-FR",
            second: "Accept-Language: fr-CA | accept-language: en-US", .fetched),
        Case("varyAsterisk", "Cache-Control: max-age=60 | Vary: *", .fetched),
        Case(
            "partialRangeResponsesDoNotCorruptCache",
            status: 206, "Cache-Control: max-age=60 | Content-Range: bytes 100-100/200", first: "Range: bytes=100-100",
            .fetched),
        Case("immutableIsCached", "Cache-Control: immutable, max-age=10", after: 9, .hit),
        Case("immutableIsNotCachedBeyondFreshnessLifetime", "Cache-Control: immutable, max-age=1", after: 2, .fetched),
        Case(
            "statisticsConditionalCacheMiss",
            "Last-Modified: @-3600 | Cache-Control: max-age=0", confirms: false, .fetched),
    ]

    /// From the list of undici's cache interceptor, which is shared by default.
    static let undici: [HTTPCacheScenario] = [
        Case("caches request", "Cache-Control: public, max-age=10", .hit),
        Case(
            "vary directives used to decide which response to use",
            "Cache-Control: public, max-age=10 | Vary: A", first: "A: asd123", second: "A: dsa", .fetched),
        Case(
            "comma-separated Vary values inside repeated header fields are honored",
            "Cache-Control: max-age=10 | Vary: A, B | vary: C", second: "C: 1", .fetched),
        Case(
            "does not cache responses with wildcard Vary in repeated header fields",
            "Cache-Control: max-age=10 | Vary: A | vary: *", .fetched),
        Case(
            "does not cache responses with malformed Vary field names",
            "Cache-Control: max-age=10 | Vary: bad name", .fetched),
        Case(
            "stores response with no-cache directive and etag, revalidates it on reuse",
            "Cache-Control: no-cache | ETag: \"asd\"", .validated),
        Case(
            "stores response with max-age=0 and etag, revalidates it on reuse",
            "Cache-Control: max-age=0 | ETag: \"asd\"", .validated),
        Case("expires caching", "Date: @0 | Expires: @10", after: 9, .hit),
        Case("expires caching with Etag", "Date: @0 | Expires: @10 | ETag: \"asd\"", after: 11, .validated),
        Case(
            "unsafe methods cause resource to be purged from cache",
            "Cache-Control: public, max-age=60", between: "PATCH", .fetched),
        Case("unsafe methods aren't cached", "Cache-Control: public, max-age=60", firstMethod: "POST", .fetched),
        Case(
            "malformed quoted no-cache does not swallow a following no-store directive",
            "Cache-Control: max-age=60, no-cache=\"a, no-store | ETag: \"a\"", .fetched),
        Case("malformed Last-Modified does not enable heuristic caching", "Last-Modified: not a date", .fetched),
        Case("cacheByDefault does not make explicitly stale responses fresh", "Cache-Control: max-age=0", .fetched),
        Case(
            "max-age=0 revalidates cached response conditionally",
            "Cache-Control: public, max-age=100 | ETag: \"a\"", second: "Cache-Control: max-age=0", .validated),
        Case(
            "no-cache revalidation uses stored Last-Modified as If-Modified-Since",
            "Cache-Control: public, max-age=100 | Last-Modified: @-100", second: "Cache-Control: no-cache", .validated),
        Case(
            "max-age accounts for apparent response age from Date",
            "Cache-Control: public, max-age=100 | Date: @-50", second: "Cache-Control: max-age=40", .fetched),
        Case(
            "max-stale does not override response revalidation requirements",
            "Cache-Control: public, max-age=1, proxy-revalidate", after: 2, second: "Cache-Control: max-stale=9",
            .fetched),
        Case(
            "stale-while-revalidate does not override response revalidation requirements",
            "Cache-Control: s-maxage=1, stale-while-revalidate=60", after: 2, .fetched),
        Case(
            "min-fresh",
            "Cache-Control: public, max-age=10", after: 1, second: "Cache-Control: min-fresh=10", .fetched),
        // RFC 9111, section 5.4: deprecated, without meaning for a cache.
        Case(
            "Pragma no-cache revalidates when Cache-Control is absent",
            "Cache-Control: public, max-age=10", second: "Pragma: no-cache", .hit),
        Case(
            "no-store in repeated request Cache-Control fields prevents storing",
            "Cache-Control: public, max-age=10", first: "Cache-Control: max-age=5 | cache-control: no-store", .fetched),
        Case(
            "future Date header does not extend max-age freshness",
            "Cache-Control: max-age=5 | Date: @3600", after: 6, .fetched),
        Case(
            "future Date header does not extend Expires freshness", "Expires: @3605 | Date: @3600", after: 6, .fetched),
        Case(
            "Age header reduces remaining max-age freshness",
            "Cache-Control: max-age=60 | Age: 50", after: 11, .fetched),
        Case(
            "caches response when request has Authorization and response has public directive",
            "Cache-Control: public, max-age=60", first: "Authorization: x", .hit),
        Case(
            "caches response when request has Authorization and response has s-maxage directive",
            "Cache-Control: s-maxage=60", first: "Authorization: x", .hit),
        Case(
            "caches response when request has Authorization and response has must-revalidate directive",
            "Cache-Control: max-age=60, must-revalidate", first: "Authorization: x", .hit),
        Case(
            "does not cache Authorization response with malformed s-maxage in shared cache",
            "Cache-Control: s-maxage=abc, max-age=60", first: "Authorization: x", .fetched),
        Case(
            "does not cache shared response with empty qualified private directive",
            "Cache-Control: max-age=60, private=\"\"", .fetched),
        Case(
            "does not cache response when request has empty Authorization and response only has max-age",
            "Cache-Control: max-age=60", first: "Authorization: ", .fetched),
        Case(
            "does not cache response when request has Authorization and no cache directives",
            "Last-Modified: @-1000", first: "Authorization: x", .fetched),
        Case(
            "discriminates caching of conditional requests (if-none-match), or does not cache them",
            "Cache-Control: max-age=60 | ETag: \"a\"", second: "If-None-Match: \"b\"", .hit),
    ]

    @Test(arguments: okHttp) func `a case of OkHttp's`(scenario: HTTPCacheScenario) async throws {
        try await scenario.run(.private)
    }

    @Test(arguments: undici) func `a case of undici's`(scenario: HTTPCacheScenario) async throws {
        try await scenario.run(.shared)
    }

    @Test func `retainServedDateFormat: a date is sent back as it came`() async throws {
        let served = "Friday, 20-Nov-26 09:00:00 GMT"
        let bench = CacheBench(.private, .ok("A", ["Last-Modified": served, "Expires": "0"]), .notModified())
        try await bench.get()
        try await bench.get()
        #expect(bench.asked("If-Modified-Since") == served)
    }
}
