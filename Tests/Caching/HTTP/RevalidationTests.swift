import FoundationEssentials
import StrataDomain
import Testing

@testable import StrataCaching
@testable import StrataHTTPCache

struct RevalidationTests {
    private func refreshed(_ stored: [(String, String)], by update: [(String, String)]) -> StoredResponse {
        Revalidation.refreshed(
            .sample(stored), by: HeaderFields(update), requestTime: clockStart.addingTimeInterval(9),
            responseTime: clockStart.addingTimeInterval(10), rules: CacheRules())
    }

    @Test func `a 304 replaces fields, keeps the others, and resets the age`() {
        let response = refreshed(
            [("A", "1"), ("B", "1"), ("b", "2"), ("Age", "50"), ("Date", "x"), ("Cache-Control", "max-age=1")],
            by: [("b", "3"), ("Cache-Control", "max-age=60"), ("C", "1"), ("C", "2")])
        #expect(response.fields["A"] == "1")
        #expect(response.fields.values("B") == ["3"])
        #expect(response.fields.values("C") == ["1", "2"])
        #expect(response.fields["Age"] == nil)
        let freshness = Freshness(of: response, now: clockStart.addingTimeInterval(10), rules: CacheRules())
        #expect(freshness.lifetime == 60)
        #expect(freshness.age == 1)
    }

    @Test(arguments: ["Content-Length", "Content-Encoding", "Content-Range"])
    func `a 304 does not change fields that describe the body`(name: String) {
        let response = refreshed([(name, "36")], by: [(name, "10")])
        #expect(response.fields[name] == "36")
    }

    @Test(arguments: ["Connection", "Keep-Alive", "Transfer-Encoding", "Upgrade", "Nominated", "Cache-Status"])
    func `a 304 does not bring fields of its connection`(name: String) {
        let response = refreshed([], by: [("Connection", "nominated"), (name, "x")])
        #expect(response.fields[name] == nil)
    }

    @Test(
        arguments: [
            ("\"a\"", "\"a\"", true), ("\"a\"", "\"b\"", false), ("W/\"a\"", "W/\"a\"", true),
            ("W/\"a\"", "W/\"b\"", false),
            ("\"a\"", nil, true), (nil, "\"a\"", false), (nil, nil, true),
        ] as [(String?, String?, Bool)])
    func `a 304 with another tag speaks of something else`(stored: String?, sent: String?, confirms: Bool) {
        let response = StoredResponse.sample(stored.map { [("ETag", $0)] } ?? [])
        #expect(Revalidation.confirms(response, sent.map { ["ETag": $0] } ?? [:]) == confirms)
    }

    @Test(
        arguments: [
            ([("Content-Length", "10")], true), ([("Content-Length", "11")], false), ([("Content-Length", "x")], true),
            ([], true),
            ([("ETag", "\"a\"")], true), ([("ETag", "\"b\"")], false), ([("Last-Modified", "x")], true),
            ([("Last-Modified", "y")], false),
        ] as [([(String, String)], Bool)])
    func `a response to HEAD updates the stored response to GET, or outdates it`(head: [(String, String)], isSame: Bool)
    {
        let stored = StoredResponse.sample([("ETag", "\"a\""), ("Last-Modified", "x"), ("A", "1")])
        let fields = HeaderFields(head + [("A", "2")])
        let effect = Revalidation.effect(
            ofHead: fields, on: stored, requestTime: clockStart, responseTime: clockStart, rules: CacheRules())
        guard case .updated(let updated) = effect else { return #expect(!isSame) }
        #expect(isSame)
        #expect(updated.fields["A"] == "2")
        #expect(updated.id == stored.id)
    }
}

struct InvalidationTests {
    private func urls(_ method: String, _ status: Int, _ fields: [(String, String)] = []) -> [String] {
        WriteInvalidation.urls(
            CacheRequest(method: method, url: CacheBench.url), status: status, fields: HeaderFields(fields))
    }

    @Test(arguments: ["POST", "PUT", "PATCH", "DELETE", "M-SEARCH", "MOVE", "get"])
    func `a method that may change something invalidates the URL when it succeeds`(method: String) {
        for status in [200, 201, 204, 303] { #expect(urls(method, status) == [CacheBench.url]) }
        for status in [100, 400, 404, 500, 503] { #expect(urls(method, status).isEmpty) }
    }

    @Test(arguments: ["GET", "HEAD", "OPTIONS", "TRACE", "PROPFIND"])
    func `a safe method invalidates nothing`(method: String) {
        #expect(urls(method, 200, [("Location", "/x")]).isEmpty)
    }

    @Test(arguments: ["Location", "Content-Location"])
    func `a write invalidates URLs of the same origin in Location and Content-Location`(name: String) {
        let origin = "http://tides.example"
        #expect(urls("PUT", 200, [(name, "/x")]).last == origin + "/x")
        #expect(urls("PUT", 200, [(name, "x?y=1#z")]).last == origin + "/x?y=1")
        #expect(urls("PUT", 200, [(name, "HTTP://TIDES.example:80/x")]).last == origin + "/x")
        #expect(urls("PUT", 200, [(name, "//tides.example/x")]).last == origin + "/x")
        for other in [
            "http://other.example/x", "https://tides.example/x", "http://tides.example:81/x", "//other/x", "mailto://x",
            "ftp://tides.example/x", "http://", "http:///x", "javascript://tides.example/x",
        ] {
            #expect(urls("PUT", 200, [(name, other)]) == [CacheBench.url])
        }
    }
}

struct CacheReportTests {
    @Test(arguments: [
        "Strata; hit; ttl=376", "Strata; hit; ttl=-2; detail=max-stale", "Strata; fwd=uri-miss; stored",
        "Strata; fwd=stale; fwd-status=304; ttl=60; collapsed",
    ])
    func `a member of Cache-Status is written as it was read`(text: String) {
        #expect(CacheReport(cache: "Strata", in: ["other; hit", text])?.text == text)
    }

    @Test(arguments: [(376.9, 376), (-1.2, -2), (.infinity, 1_000_000_000_000_000)])
    func `seconds are rounded down and cut`(seconds: TimeInterval, expected: Int) {
        #expect(seconds.wholeSeconds == expected)
    }
}
