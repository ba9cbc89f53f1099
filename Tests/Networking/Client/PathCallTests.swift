import StrataDomain
import StrataTesting
import Testing

@testable import StrataNetworking

/// Calls without an endpoint type.
struct PathCallTests {
    private struct Draft: Codable, Sendable { var metres: Double }

    @Test func `names in braces are filled, the others are the query`() async throws {
        let bench = try Bench(.json("[\(tideJSON)]"), base: "http://tides.test/api")
        let page: Int? = nil
        let tides: [TidePayload] = try await bench.client.get(
            "/v1/{harbour}/tides", ["harbour": "bar & grill", "limit": 2, "day": ["mon", "tue"], "page": page])
        #expect(tides == [tide])
        #expect(
            bench.transport.requests[0].url.description
                == "http://tides.test/api/v1/bar%20%26%20grill/tides?limit=2&day=mon&day=tue")
    }

    @Test func `a slash at the end stays`() async throws {
        let bench = try Bench(.json("[]"))
        let _: [TidePayload] = try await bench.client.get("/tides/")
        #expect(bench.transport.requests[0].url.path == "/tides/")
    }

    @Test(arguments: ["", ".", ".."])
    func `a segment that would name another resource is refused`(name: String) async throws {
        let bench = try Bench(then: .json(tideJSON))
        let error = await #expect(throws: NetworkError.self) {
            let _: TidePayload = try await bench.client.get("/tides/{name}", ["name": name])
        }
        #expect(error?.isUnsent == true)
        #expect(bench.transport.requests.isEmpty)
    }

    @Test func `a name in braces without a value is refused by its name`() async throws {
        let bench = try Bench(then: .json(tideJSON))
        let error = await #expect(throws: NetworkError.self) {
            let _: TidePayload = try await bench.client.get("/tides/{name}")
        }
        #expect(error?.reason.contains("a value for '{name}' in the parameters") == true)
        #expect(bench.transport.requests.isEmpty)
    }

    private struct Note: FormBody {
        var text: String
        var count: Int
    }

    @Test func `a form body is sent as a form`() async throws {
        let bench = try Bench(.status(204))
        try await bench.client.post("/notes", body: Note(text: "a & b", count: 2))
        let body = try #require(bench.transport.requests.first?.body)
        #expect(body.contentType == "application/x-www-form-urlencoded")
        #expect(body.bytes.map { String(decoding: $0, as: UTF8.self) } == "count=2&text=a%20%26%20b")
    }

    @Test func `a body is JSON, and a response may be left alone`() async throws {
        let bench = try Bench(.json(tideJSON), .status(204), .status(204), .status(201), .json(tideJSON))
        let draft = Draft(metres: 4.2)
        let changed: TidePayload = try await bench.client.put("/tides/{id}", ["id": 7], body: draft)
        #expect(changed == tide)
        try await bench.client.patch("/tides/7", body: draft)
        try await bench.client.delete("/tides/7")
        try await bench.client.post("/tides", body: draft, options: CallOptions(idempotencyKey: "k"))
        let made: TidePayload = try await bench.client.post("/tides/{id}/close", ["id": 7])
        #expect(made == tide)
        let requests = bench.transport.requests
        #expect(requests.map(\.method) == [.put, .patch, .delete, .post, .post])
        #expect(
            requests.map { $0.body?.bytes.map { String(decoding: $0, as: UTF8.self) } ?? "" }
                == [#"{"metres":4.2}"#, #"{"metres":4.2}"#, "", #"{"metres":4.2}"#, ""])
        #expect(requests[0].headers[FieldName.contentType] == "application/json")
        #expect(requests[2].headers[FieldName.contentType] == nil)
    }
}
