import FoundationEssentials
import StrataDomain
import StrataTesting
import Testing

@testable import StrataNetworking

struct RedirectDecisionTests {
    private static let url = "http://tides.test/a"

    private func decide(
        _ status: Int, _ locations: String..., method: HTTPMethod = .get, body: UploadBody? = nil,
        headers: HeaderFields = [:], earlier: Int = 0, limit: Int = 10, base: String = url
    ) throws -> RedirectDecision {
        let deadline = Deadline(in: .seconds(1), on: MonotonicTime(ManualClock()))
        let context = CallContext(requestId: "r", summary: "", deadline: deadline)
        let request = ClientRequest(method, try HTTPURL(base), headers: headers, body: body, context: context)
        let visits = try (0..<earlier).map { number in
            Visit(ClientRequest(.get, try HTTPURL("http://v\(number).test"), context: context))
        }
        var head = ResponseHead(status: status)
        for location in locations { head.headers.add("location", location) }
        return RedirectDecision(request, head, trusted: [], earlier: visits, limit: limit)
    }

    @Test(arguments: [
        (301, HTTPMethod.get, HTTPMethod.get), (302, .get, .get), (303, .get, .get), (307, .get, .get),
        (308, .get, .get),
        (301, .head, .head), (302, .head, .head), (303, .head, .head), (307, .head, .head), (308, .head, .head),
        (301, .post, .get), (302, .post, .get), (303, .post, .get), (307, .post, .post), (308, .post, .post),
        (301, .put, .put), (302, .put, .put), (303, .put, .get), (307, .put, .put), (308, .put, .put),
        (301, .patch, .patch), (302, .patch, .patch), (303, .patch, .get), (307, .patch, .patch),
        (308, .patch, .patch),
        (301, .delete, .delete), (302, .delete, .delete), (303, .delete, .get), (307, .delete, .delete),
        (308, .delete, .delete),
    ])
    func `methods and bodies change as RFC 9110 says`(status: Int, method: HTTPMethod, expected: HTTPMethod) throws {
        let body = method.isSafe ? nil : UploadBody.bytes(Data("x".utf8), contentType: "text/plain")
        let headers: HeaderFields = [
            "Content-Type": "text/plain", "Content-Encoding": "gzip", "Content-Digest": "d", "Idempotency-Key": "k",
        ]
        guard case .follow(let next) = try decide(status, "/b", method: method, body: body, headers: headers) else {
            Issue.record("not followed")
            return
        }
        #expect(next.method == expected)
        #expect(next.body?.bytes == (expected == method ? body?.bytes : nil))
        #expect(next.headers["Idempotency-Key"] == (expected == method ? "k" : nil))
        for name in ["Content-Type", "Content-Encoding", "Content-Digest"] {
            #expect((next.headers[name] == nil) == (expected != method))
        }
    }

    @Test(arguments: [200, 201, 204, 300, 304, 305, 306, 309, 399, 401, 404, 500])
    func `no other status is followed, whatever its Location`(status: Int) throws {
        guard case .answer = try decide(status, "/b") else {
            Issue.record("followed")
            return
        }
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `without a Location it is the answer`(status: Int) throws {
        guard case .answer = try decide(status) else {
            Issue.record("followed")
            return
        }
    }

    @Test(arguments: [(301, true), (302, true), (303, false), (307, true), (308, true)])
    func `a body that cannot be read again is not sent again`(status: Int, isRefused: Bool) throws {
        let body = UploadBody.stream(length: 1, isReplayable: false) { ResponseBody(Data("x".utf8)) }
        guard case .refuse(let reason) = try decide(status, "/b", method: .put, body: body) else {
            #expect(!isRefused)
            return
        }
        #expect(isRefused)
        #expect(reason == "The body cannot be sent again.")
    }

    @Test func `two different targets are refused, the same target twice is followed`() throws {
        guard case .refuse(let reason) = try decide(302, "/b", "/c") else {
            Issue.record("followed")
            return
        }
        #expect(reason == "It names 2 different targets.")
        guard case .follow = try decide(302, "/b", " /b ") else {
            Issue.record("refused")
            return
        }
    }

    @Test(arguments: ["", " ", "#x", "/a", "http://TIDES.test:80/a", "./a", "?"])
    func `leading nowhere new is a circle`(location: String) throws {
        guard case .refuse(let reason) = try decide(307, location) else {
            #expect(location == "?")  // An empty query is another URL.
            return
        }
        #expect(reason == "The redirects go round in a circle.")
    }

    @Test func `a form may lead to its own page`() throws {
        guard case .follow(let next) = try decide(303, "/a", method: .post, body: .bytes(Data())) else {
            Issue.record("refused")
            return
        }
        #expect(next.method == .get)
    }

    @Test(arguments: [(9, 10, true), (10, 10, false), (0, 1, true), (1, 1, false), (49, 50, true), (50, 50, false)])
    func `follows exactly as many as allowed`(earlier: Int, limit: Int, isFollowed: Bool) throws {
        switch try decide(302, "/b", earlier: earlier, limit: limit) {
        case .follow: #expect(isFollowed)
        case .refuse(let reason): #expect(!isFollowed && reason == "\(limit) redirects were followed already.")
        case .answer: Issue.record("neither")
        }
    }

    @Test(arguments: ["http://tides.test/b", "http://evil.test/", "//evil.test:80/"])
    func `https leads to https only`(location: String) throws {
        let decision = try decide(302, location, base: "https://tides.test/a")
        guard case .follow(let next) = decision else {
            #expect(location.hasPrefix("http://"))
            return
        }
        #expect(next.url.origin.scheme == "https")
    }
}
