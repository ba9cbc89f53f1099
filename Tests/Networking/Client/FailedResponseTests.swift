import Foundation
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// What a failed call keeps of its response.
struct FailedResponseTests {
    private struct GitHubError: Codable, Equatable {
        var message: String
        var documentationUrl: String
    }

    private struct GetRepo: ManualEndpoint, FailingEndpoint {
        typealias Response = TidePayload
        typealias Failure = Refusal

        struct Refusal: Decodable, Sendable { var message: String }

        var method: HTTPMethod { .get }
        var path: String { "/repos/ada/engine" }
    }

    private static let body = #"{"message":"Not Found","documentation_url":"https://docs.github.com"}"#

    @Test(arguments: ForeignFailure.all)
    func `the failure of a foreign API is read in its own words`(failure: ForeignFailure) async throws {
        var headers = failure.headers
        headers["Content-Type"] = failure.type
        let bench = try Bench.plain(.status(failure.status, headers: headers, body: failure.body))
        let error = await bench.failure(of: ShowTide())
        #expect(error.kindText.hasPrefix(failure.kind), "\(error.kind)")
        #expect(error.description == "GET /v1/tides/bar: \(failure.text)")
        #expect(error.problem?.code == failure.code)
        #expect(error.problem?.errors == failure.fields)
        #expect(error.response?.status == failure.status)
        #expect(error.response?.bytes == Data(failure.body.utf8))
        if let fields = failure.fields, case .validation(_, let shown) = DomainError(error) { #expect(shown == fields) }
    }

    @Test func `send, stream and upload carry the response of their failure`() async throws {
        let answer = ScriptedTransport.Answer.json(Self.body, status: 404, headers: ["X-Support-Id": "s-7"])
        let bench = try Bench.plain(answer, answer, answer)
        var errors = [await bench.failure(of: ShowTide())]
        do throws(NetworkError) {
            try await bench.client.stream(ShowTide(), options: CallOptions()) { _, _ in }
        } catch { errors.append(error) }
        do throws(NetworkError) {
            let body = UploadBody.stream(length: 3, isReplayable: true, contentType: "text/csv") {
                ResponseBody(Data("a,b".utf8))
            }
            _ = try await bench.client.upload(AddTide(), body: body, options: CallOptions())
        } catch { errors.append(error) }
        #expect(errors.count == 3)
        for error in errors {
            #expect(error.response?.status == 404)
            #expect(error.response?.headers["X-Support-Id"] == "s-7")
            let decoded = try error.response?.decode(GitHubError.self)
            #expect(decoded == GitHubError(message: "Not Found", documentationUrl: "https://docs.github.com"))
        }
    }

    @Test func `an endpoint states its failure, and a page of a proxy is none`() async throws {
        let bench = try Bench.plain(
            .json(Self.body, status: 404), .status(502, headers: ["Content-Type": "text/html"], body: "<h1>"),
            .failure(.timeout))
        #expect(await bench.failure(of: GetRepo()).failure(of: GetRepo.self)?.message == "Not Found")
        let page = await bench.failure(of: GetRepo())
        #expect(page.failure(of: GetRepo.self) == nil)
        #expect(page.response?.bytes == Data("<h1>".utf8))
        #expect(throws: WireJSON.Failure.self) { try page.response?.decode(GitHubError.self) }
        #expect(await bench.failure(of: GetRepo()).response == nil)
    }

    @Test func `the first 64 KiB of a body are kept`() async throws {
        let bench = try Bench.plain(
            .chunks([Data(repeating: 0x61, count: 40_000), Data(repeating: 0x62, count: 40_000)], status: 500))
        let response = await bench.failure(of: ShowTide()).response
        #expect(response?.bytes.count == 65_536)
        #expect(response?.bytes.last == 0x62)
        #expect(FailedResponse(ResponseHead(status: 500), bytes: Data(count: 70_000)).bytes.count == 65_536)
    }

    @Test func `a title is cut to one line, and not in the middle of a secret`() async throws {
        let token = String(repeating: "t", count: 300)
        let title = String(repeating: "x", count: 150) + token + String(repeating: "y", count: 300)
        let bench = try Bench.plain(
            .status(403, headers: ["Content-Type": "text/html"], body: "<title>\(title)</title><p>more"),
            .status(
                403, headers: ["Content-Type": "text/html"],
                body: "<title>a \(token.prefix(100))\u{7}\(token.dropFirst(100)) b</title>"),
            auth: .bearer(FakeTokens(token)))
        for _ in 0..<2 {
            let error = await bench.failure(of: ShowTide())
            #expect(error.response?.line?.contains("<redacted>") == true)
            #expect((error.response?.line?.count ?? 0) <= 201)
            #expect(!error.description.contains("ttt") && !error.description.contains("more"))
        }
    }

    @Test func `a text is cut to one line, and not in the middle of a secret`() async throws {
        let token = String(repeating: "t", count: 300)
        let text = String(repeating: "x", count: 150) + token + String(repeating: "y", count: 300)
        let bench = try Bench.plain(
            .status(403, headers: ["Content-Type": "text/plain"], body: text), auth: .bearer(FakeTokens(token)))
        let error = await bench.failure(of: ShowTide())
        #expect(error.response?.line?.contains("xx<redacted>yy") == true)
        #expect(error.response?.line?.count == 201)
        #expect(!error.description.contains("ttt"))
    }

    @Test func `no text of an error holds a secret of its response, and code reads the real values`() async throws {
        let (token, key, cookie, own) = (Canary("bearer"), Canary("key"), Canary("cookie"), Canary("body"))
        let body =
            #"{"message":"token \#(token.text) is bad","api_key":"\#(key.text)","title":"a\/b \#(own.text)","#
            + #""errors":[{"field":"\#(token.text)","message":"no"}],"session":{"id":"\#(cookie.text)"}}"#
        let headers: HeaderFields = [
            "Set-Cookie": "sid=\(cookie.text)", "WWW-Authenticate": "Bearer realm=\"\(key.text)\"",
            "X-Echo": "\(token.text) \(own.text)", "X-Api-Key": key.text,
        ]
        let answer = ScriptedTransport.Answer.json(body, status: 403, headers: headers)
        let bench = try Bench(
            answer, auth: .bearer(FakeTokens(token.text)), options: ClientOptions(coalescesReads: false))
        let error = await bench.failure(
            of: AddTide(), CallOptions(headers: ["X-Own-Secret": own.text]))
        var sinks = Sinks()
        sinks.add(value: error, as: "error")
        sinks.add("sentence", error.localizedDescription)
        sinks.add("attempts", "\(error.attempts)")
        sinks.add(value: error.response as Any, as: "response")
        sinks.add("problem", "\(String(describing: error.problem)) \(String(describing: error.response?.problem))")
        sinks.add("detail", error.response?.detail ?? "")
        sinks.add(value: DomainError(error), as: "domain error")
        #expect(sinks.leaks(of: [token, key, cookie, own]) == [])
        let response = try #require(error.response)
        #expect(response.description.contains("status 403"))
        #expect(response.description.contains("X-Echo: <redacted> <redacted>"))
        #expect(String(decoding: response.bytes, as: UTF8.self) == body)
        #expect(response.headers["X-Api-Key"] == key.text)
    }

    @Test func `a response that no client received shows neither fields nor body`() {
        let response = FailedResponse(ResponseHead(status: 404, headers: ["X-Odd": "abc"]), bytes: Data("xyz".utf8))
        #expect("\(response)" == "status 404, 1 fields, 3 bytes")
    }

    @Test func `the failure of a refresh is no response of the call`() async throws {
        var failure = NetworkError(.notFound(nil))
        failure.response = FailedResponse(ResponseHead(status: 404))
        let bench = try Bench.plain(.status(401), auth: .bearer(FakeTokens(refreshFailure: failure)))
        let error = await bench.failure(of: ShowTide())
        #expect(error.isFromRefresh)
        #expect(error.response == nil)
    }

    @Test func `a rate limit is read from a failure and from a success`() async throws {
        let fields: HeaderFields = [
            "X-RateLimit-Limit": "60", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1795251607",
        ]
        let bench = try Bench.plain(
            .json(tideJSON, headers: ["RateLimit": #""a";r=4;t=9"#]), .json("{}", status: 403, headers: fields),
            .status(429, headers: ["Retry-After": "5"]), .status(404))
        let head = try await bench.client.response(to: ShowTide(), options: CallOptions()).head
        #expect(head.rateLimit == RateLimitStatus(remaining: 4, reset: .seconds(9)))
        let refused = await bench.failure(of: ShowTide())
        #expect(refused.kind == .rateLimited(retryAfter: .seconds(7)))
        #expect(refused.retryAfter == .seconds(7))
        #expect(refused.rateLimit == RateLimitStatus(limit: 60, remaining: 0, reset: .seconds(7)))
        #expect(refused.isRetryable)
        guard case .busy(_, let wait) = DomainError(refused) else {
            Issue.record("not busy")
            return
        }
        #expect(wait == .seconds(7))
        #expect(await bench.failure(of: ShowTide()).rateLimit == RateLimitStatus(reset: .seconds(5)))
        #expect(await bench.failure(of: ShowTide()).rateLimit == nil)
    }
}
