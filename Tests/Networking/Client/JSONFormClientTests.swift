import FoundationEssentials
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// Responses of a foreign API are only read.
private struct Sale: Decodable, Sendable, Equatable {
    var saleId: Int
    var soldAt: Date
}

private struct SaleDraft: Codable, Sendable { var unitPrice: Int, soldAt: Date }

private struct AddSale: RoutedEndpoint {
    static let route = Route.post("/sales")
    typealias Response = Sale
    @Query var dryRun: Bool?
    @Body var draft: SaleDraft
}

private struct FindSale: RoutedEndpoint {
    static let route = Route.get("/sales/{id}")
    typealias Response = Sale?
    @Path var id: Int
}

private struct ListSales: RoutedEndpoint {
    static let route = Route.get("/sales")
    static let json = JSONForm.snakeCase(dates: .secondsSince1970)
    typealias Response = [Sale]
    @Query var pageSize: Int?
}

private enum Manual: ManualEndpoint {
    case add
    var method: HTTPMethod { .post }
    var path: String { "/sales" }
    func body() throws -> RequestBody? { try .json(["soldAt": Date(timeIntervalSince1970: 5)]) }
}

struct JSONFormClientTests {
    private let sale = Sale(saleId: 7, soldAt: Date(timeIntervalSince1970: 1_795_251_900))
    private let saleJSON = #"{"saleId":7,"soldAt":1795251900}"#

    private func bench(_ answers: ScriptedTransport.Answer...) throws -> Bench {
        let bench = try Bench.plain(
            options: ClientOptions(coalescesReads: false, json: .asDeclared(dates: .secondsSince1970)))
        for answer in answers { bench.transport.append(answer) }
        return bench
    }

    private func body(_ request: ClientRequest) -> String? {
        request.body?.bytes.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `requests and responses have the form of the client`() async throws {
        let bench = try bench(.json(saleJSON), .json("8"))
        let draft = SaleDraft(unitPrice: 3, soldAt: Date(timeIntervalSince1970: 5))
        #expect(try await bench.client.send(AddSale(dryRun: true, draft: draft)) == sale)
        #expect(try await bench.client.send(Manual.add, as: Int.self) == 8)
        #expect(bench.transport.requests[0].url.query == "dryRun=true")
        #expect(bench.transport.requests.map { body($0) } == [#"{"soldAt":5,"unitPrice":3}"#, #"{"soldAt":5}"#])
    }

    @Test func `an endpoint's own form wins over the client's`() async throws {
        let bench = try bench(.json(#"[{"sale_id":7,"sold_at":1795251900}]"#))
        #expect(try await bench.client.send(ListSales(pageSize: 2)) == [sale])
        #expect(bench.transport.requests[0].url.query == "page_size=2")
    }

    @Test(arguments: [204, 205, 200])
    func `a success without content is nil of an optional response, whatever its media type`(status: Int) async throws {
        let bench = try bench(.status(status), .status(status, headers: ["Content-Type": "text/html"]), .json(saleJSON))
        #expect(try await bench.client.send(FindSale(id: 1)) == nil)
        #expect(try await bench.client.send(FindSale(id: 1)) == nil)
        #expect(try await bench.client.send(FindSale(id: 1)) == sale)
    }

    @Test func `null is nil, and any other content is read or an error`() async throws {
        let bench = try bench(.json("null"), .json("{}"), .json(" "), .json("[]"))
        #expect(try await bench.client.send(FindSale(id: 1)) == nil)
        for _ in 0..<3 {
            let failure = await bench.failure(of: FindSale(id: 1))
            #expect(failure.kindText.hasPrefix("decoding"))
        }
    }

    @Test func `a success without content is an error of any other response, with the next step`() async throws {
        let bench = try bench(.status(204))
        let failure = await bench.failure(of: AddSale(draft: SaleDraft(unitPrice: 1, soldAt: .now)))
        #expect(failure.description.contains("the document is empty; where that is an answer, read it as 'Sale?'"))
    }

    @Test func `a failure names the key of the document and its other spelling`() async throws {
        let bench = try bench(.json(#"{"sale_id":7,"soldAt":5}"#), .json(#"{"saleId":7,"soldAt":"2026-11-21"}"#))
        let missing = await bench.failure(of: FindSale(id: 1))
        #expect(missing.description.contains("key 'saleId' is missing; the document has 'sale_id' there"))
        let mismatch = await bench.failure(of: FindSale(id: 1))
        #expect(mismatch.description.contains("'soldAt' must be a time as a number of seconds since 1970"))
    }

    @Test func `JSON that is called text is read from servers of others only`() async throws {
        let text: HeaderFields = ["Content-Type": "text/plain; charset=utf-8"]
        let foreign = try bench(.status(200, headers: text, body: saleJSON), .status(200, headers: text, body: "hello"))
        #expect(try await foreign.client.send(FindSale(id: 1)) == sale)
        let refused = await foreign.failure(of: FindSale(id: 1))
        #expect(refused.description.contains("expected JSON, got 'text/plain'"))
        let own = try Bench.plain(.status(200, headers: text, body: tideJSON))
        #expect(await own.failure(of: ShowTide()).description.contains("expected JSON, got 'text/plain'"))
    }

    @Test func `a value that cannot be sent fails before the network`() async throws {
        let bench = try bench(.json(saleJSON))
        let draft = SaleDraft(unitPrice: 3, soldAt: Date(timeIntervalSince1970: .infinity))
        let failure = await bench.failure(of: AddSale(draft: draft))
        #expect(failure.kindText.hasPrefix("invalidRequest"))
        #expect(bench.transport.requests.isEmpty)
    }
}
