import Foundation
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

struct StatusMappingTests {
    @Test(arguments: [
        (301, "status(301"), (304, "status(304"), (400, "validation"), (401, "unauthorized"), (402, "status(402"),
        (403, "forbidden"), (404, "notFound"), (405, "status(405"), (408, "status(408"), (409, "conflict"),
        (410, "status(410"), (412, "conflict"), (413, "status(413"), (422, "validation"), (425, "status(425"),
        (428, "status(428"), (429, "rateLimited"), (500, "server(500"), (501, "server(501"), (503, "server(503"),
        (599, "server(599"), (600, "invalidResponse"), (999, "invalidResponse"),
    ])
    func `every status has its kind`(status: Int, kind: String) async throws {
        let bench = try Bench.plain(.status(status))
        let failure = await bench.failure(of: ShowTide())
        #expect(failure.kindText.hasPrefix(kind))
        #expect(failure.request == "GET /v1/tides/bar")
        #expect(failure.attempts.count == 1)
    }

    @Test func `carries the problem document with its fields`() async throws {
        let body = """
            {"type":"https://x.test/p","title":"Rejected","status":422,"detail":"Two fields are wrong.","code":"invalid",
             "request_id":"r-1","errors":[{"field":"name","message":"is empty"}],"extra":{"a":[1]}}
            """
        let bench = try Bench.plain(.status(422, headers: ["Content-Type": "application/problem+json"], body: body))
        let problem = await bench.failure(of: AddTide()).problem
        #expect(problem?.detail == "Two fields are wrong.")
        #expect(problem?.code == "invalid")
        #expect(problem?.requestId == "r-1")
        #expect(problem?.errors == [FieldError(field: "name", message: "is empty")])
    }

    @Test func `reads an OAuth error, and takes the request id from the header`() async throws {
        let bench = try Bench.plain(
            .json(
                #"{"error":"invalid_grant","error_description":"The token was used before."}"#, status: 400,
                headers: ["X-Request-Id": "r-9"]))
        let problem = await bench.failure(of: AddTide()).problem
        #expect(problem?.error == "invalid_grant")
        #expect(problem?.detail == "The token was used before.")
        #expect(problem?.requestId == "r-9")
    }

    @Test(arguments: ["", "not json", "[1,2]", #"{"title":7,"errors":"x","detail":{}}"#, "{\"title\":\"cut off"])
    func `a damaged problem document does not hide the status`(body: String) async throws {
        let bench = try Bench.plain(.json(body, status: 404))
        #expect(await bench.failure(of: ShowTide()).kindText.hasPrefix("notFound"))
    }

    @Test func `an endless error page is read to its limit only`() async throws {
        let pulled = CallCounter()
        let endless = ScriptedTransport.Answer { _ in
            let body = AsyncThrowingStream<Data, any Error> {
                pulled.increment()
                return Data(repeating: 0x20, count: 1024)
            }
            return ClientResponse(ResponseHead(status: 400), body: ResponseBody(body))
        }
        let bench = try Bench.plain(endless)
        #expect(await bench.failure(of: ShowTide()).kindText.hasPrefix("validation"))
        #expect(pulled.value == 64)
    }

    @Test func `the error has the wait of Retry-After`() async throws {
        let bench = try Bench.plain(.status(429, headers: ["Retry-After": "17"]))
        guard case .rateLimited(let wait) = await bench.failure(of: ShowTide()).kind else {
            Issue.record("not rate limited")
            return
        }
        #expect(wait == .seconds(17))
    }

    @Test func `a response that is not JSON is an error with its media type`() async throws {
        let bench = try Bench.plain(.status(200, headers: ["Content-Type": "text/html; charset=utf-8"], body: "<html>"))
        let failure = await bench.failure(of: ShowTide())
        #expect(failure.description.contains("'text/html'"))
    }

    @Test func `a decoding error names type, key and request`() async throws {
        let bench = try Bench.plain(.json(#"{"name":7}"#))
        let failure = await bench.failure(of: ShowTide())
        #expect(failure.description.contains("TidePayload"))
        #expect(failure.description.contains("'name'"))
        #expect(failure.description.hasPrefix("GET /v1/tides/bar"))
        #expect(bench.transport.requests.count == 1)
    }

    @Test @MainActor func `a body is decoded off the caller's actor`() async throws {
        let bench = try Bench.plain(.json("{}"))
        #expect(try await bench.client.send(ShowThread()).isMain == false)
    }

    /// Its response notes the thread that decodes it.
    private struct ShowThread: RoutedEndpoint {
        static let route = Route.get("/v1/thread")
        struct Response: Codable, Sendable {
            var isMain: Bool
            init(from decoder: any Decoder) { isMain = Thread.isMainThread }
        }
    }

    @Test func `an answer without a result needs no body and ignores one`() async throws {
        let bench = try Bench.plain(.status(204), .status(200, headers: ["Content-Type": "text/plain"], body: "gone"))
        _ = try await bench.client.send(RemoveTide())
        _ = try await bench.client.send(RemoveTide())
        #expect(bench.transport.requests.count == 2)
    }

    @Test func `a body over the limit is refused, announced or not`() async throws {
        let big = Data(repeating: 0x20, count: 600)
        let options = try ClientOptions(bodyLimit: 1000)
        let bench = try Bench.plain(
            .chunks([big, big]), .chunks([], headers: ["Content-Length": "1001"]), options: options)
        #expect(await bench.failure(of: ShowTide()).kindText.hasPrefix("invalidResponse"))
        #expect(await bench.failure(of: ShowTide()).kindText.hasPrefix("invalidResponse"))
    }

    @Test func `a body of exactly the limit is accepted`() async throws {
        let options = try ClientOptions(bodyLimit: tideJSON.utf8.count)
        let bench = try Bench.plain(.json(tideJSON), options: options)
        #expect(try await bench.client.send(ShowTide()) == tide)
    }
}
