import StrataDomain
import StrataTesting
import Testing

@testable import StrataNetworking

struct CallFieldsTests {
    private static let names = [FieldName.requestId, FieldName.requestDeadline, FieldName.traceparent]

    @Test func `a server is told nothing about a call unless the client is told to`() async throws {
        let bench = try Bench(.json(tideJSON), options: ClientOptions())
        _ = try await bench.client.send(ShowTide())
        let fields = bench.transport.requests[0].headers
        #expect(Set(fields.map(\.name)) == [FieldName.accept, FieldName.userAgent, "Accept-Encoding"])
    }

    @Test(arguments: zip([CallFields.requestId, .deadline, .trace], names))
    func `each field is sent alone`(fields: CallFields, name: String) async throws {
        let bench = try Bench(.json(tideJSON), options: ClientOptions(callFields: fields))
        _ = try await bench.client.send(ShowTide())
        #expect(Self.names.filter { bench.transport.requests[0].headers[$0] != nil } == [name])
    }

    @Test func `another origin is told nothing, after a redirect too`() async throws {
        let bench = try Bench(
            .status(307, headers: ["Location": "http://other.test/tide"]), .json(tideJSON),
            options: ClientOptions(callFields: .all))
        _ = try await bench.client.send(ShowTide())
        let requests = bench.transport.requests
        #expect(requests.map(\.url.origin.description) == ["http://tides.test", "http://other.test"])
        for name in Self.names {
            #expect(requests[0].headers[name] != nil)
            #expect(requests[1].headers[name] == nil)
        }
    }

    @Test func `the caller's own fields are sent whatever the options say`() async throws {
        let bench = try Bench(.json(tideJSON), options: ClientOptions())
        _ = try await bench.client.send(ShowTide(), options: CallOptions(headers: [FieldName.requestId: "mine"]))
        #expect(bench.transport.requests[0].headers[FieldName.requestId] == "mine")
    }
}
