import Foundation
import StrataTesting
import Testing

/// A server that gives the recorded responses.
private struct EarlierServer {
    /// Those that were not asked for yet.
    var exchanges: [RecordedWire.Exchange] = []
    /// Ids that the client of today gave, by those that the earlier one gave.
    private var ids: [String: String] = [:]

    /// The first response to such a request; 404 for a path that the earlier server did not have.
    mutating func response(to request: LoopbackServer.Request) -> LoopbackServer.Step {
        let path = request.target.prefix { $0 != "?" }
        let place = exchanges.firstIndex { $0.method == request.method && $0.path == path }
        guard let exchange = place.map({ exchanges.remove(at: $0) }) else {
            return .response(
                "404 Not Found", #"{"code":"no_such_path","status":404,"title":"Not found","type":"about:blank"}"#,
                fields: ["Content-Type: application/problem+json"])
        }
        let given = try? RecordedFields.renamed(
            ["id", "entity_id"], recorded: exchange.request.body, found: request.body)
        ids.merge(given ?? [:]) { $1 }
        let body = ids.reduce(exchange.response.body) { $0.replacing($1.key, with: $1.value) }
        return .response("\(exchange.response.first) Recorded", body, fields: exchange.response.fields)
    }
}

/// An earlier client with this server, and this client with an earlier server.
@Suite(.serialized) struct RecordedWireTests {
    @Test(arguments: [
        (#"{"a":1,"more":true}"#, 0), (#"{}"#, 1), (#"{"a":"1"}"#, 1), (#"{"a":2}"#, 1), (#"[{"a":1}]"#, 1),
    ])
    func `a field that is gone or means something else is a difference, and one more is none`(
        found: String, differences: Int
    ) throws {
        #expect(try RecordedFields.differences(recorded: #"{"a":1}"#, found: found).count == differences)
        let time = #"{"updated_at":"2026-11-21T09:05:00Z"}"#
        #expect(try RecordedFields.differences(recorded: time, found: #"{"updated_at":"later"}"#).isEmpty)
        #expect(try RecordedFields.differences(recorded: time, found: #"{"updated_at":7}"#).count == 1)
    }

    @Test(arguments: RecordedVersion.all, RecordedVersion.Engine.usable)
    func `the server answers the requests of an earlier version with the same status and fields`(
        version: RecordedVersion, engine: RecordedVersion.Engine
    ) async throws {
        let wire = try RecordedWire(try version.text("wire.txt"))
        #expect(wire.parts.flatMap(\.exchanges).count > 40)
        try await version.serve(engine) { _, server, facts in
            var known = ["host": "X-API-Key: \(facts.hostKey)"]
            // A client continues from the place that the server told it.
            var places: [String: String] = [:]
            for step in wire.parts.flatMap(\.exchanges) {
                var exchange = step
                for (old, new) in places { exchange.replace(old, with: new) }
                let answer = try await send(exchange, known, server)
                if exchange.path == "/v1/sessions", answer.status == 201 {
                    known["ada"] = "Authorization: Bearer \(try JSON(answer.body)["access_token"].text ?? "")"
                }
                let (name, recorded) = ("\(exchange.request.first)", exchange.response)
                #expect(String(answer.status) == recorded.first, "\(name): \(answer.body)")
                let type = recorded.value("content-type")
                #expect(answer.head.lowercased().contains("content-type: \(type ?? "")") || type == nil, "\(name)")
                for field in ["etag", "idempotency-replayed", "content-range"] {
                    let isThere = answer.head.lowercased().contains("\r\n\(field): ")
                    #expect(isThere || recorded.value(field) == nil, "\(name) has no \(field)")
                }
                if type?.contains("json") == true {
                    let differences = try RecordedFields.differences(recorded: recorded.body, found: answer.body)
                    #expect(differences.isEmpty, "\(name): \(differences)")
                    places.merge(
                        try RecordedFields.renamed(["cursor"], recorded: recorded.body, found: answer.body)
                    ) { $1 }
                } else {
                    #expect(answer.body == recorded.body, "\(name)")
                }
            }
        }
    }

    @Test(arguments: RecordedVersion.all)
    func `the client reads the responses of an earlier version, and prints the same fields`(
        version: RecordedVersion
    ) async throws {
        let facts = try version.facts()
        let wire = try RecordedWire(try version.text("wire.txt"))
        let now = Int(Date().timeIntervalSince1970)
        let workspace = try Workspace(
            settings: try Faults(clock: .off(seconds: facts.recordedAt - now)).variables())
        _ = try workspace.write("# Reboot\n", to: "reboot.md")
        _ = try workspace.write("more\n", to: "more.log")
        // One server for each command would be another place, to which no token is sent.
        let earlier = Shared(EarlierServer())
        let script = LoopbackServer.Script { request in [earlier.change { $0.response(to: request) }] }
        try await LoopbackServer.run(script) { server in
            let address = "127.0.0.1:\(server.port)"
            let environment = workspace.environment.merging([
                "SHIFTLOG_HOME": "\(workspace.root)/homes/wire", "SHIFTLOG_SERVER": server.url,
            ]) { $1 }
            func placed(_ text: String) -> String {
                text.replacing("FOLDER", with: workspace.root).replacing("ADDRESS", with: address)
            }
            for part in wire.parts where part.command != "requests" {
                earlier.change { $0.exchanges = part.exchanges }
                let outcome = try await Program(
                    "\(Workspace.products)/shiftlog", placed(part.command).split(separator: " ").map(String.init),
                    environment: environment, folder: workspace.root, input: "\(facts.password)\n"
                ).outcome()
                #expect(outcome.status == 0, "\(part.command): \(outcome.err)")
                guard let output = part.output else { continue }
                let differences = try RecordedFields.differences(recorded: placed(output), found: outcome.out)
                #expect(differences.isEmpty, "\(part.command): \(differences) \(outcome.err)")
            }
        }
    }

    private func send(
        _ exchange: RecordedWire.Exchange, _ known: [String: String], _ server: Server
    ) async throws -> RawHTTP.Answer {
        let request = exchange.request
        let headers =
            ["Host: 127.0.0.1", "Connection: close"] + request.fields + (known[exchange.who].map { [$0] } ?? [])
        let bytes = RawHTTP.request(
            exchange.method, Array(exchange.target.utf8), headers: headers,
            body: request.body.isEmpty ? nil : Array(request.body.utf8))
        let answer = try await RawHTTP.send(bytes, port: server.port)
        guard answer.head.lowercased().contains("transfer-encoding: chunked") else { return answer }
        return RawHTTP.Answer(status: answer.status, head: answer.head, body: Self.joined(answer.body))
    }

    /// The content of a chunked body.
    private static func joined(_ body: String) -> String {
        var (rest, content) = (Array(body.utf8)[...], [UInt8]())
        while let line = rest.firstIndex(of: 10),
            let size = Int(String(decoding: rest[..<line], as: UTF8.self).filter(\.isHexDigit), radix: 16), size > 0
        {
            content += rest[(line + 1)...].prefix(size)
            rest = rest.dropFirst(line + 1 - rest.startIndex + size + 2)
        }
        return String(decoding: content, as: UTF8.self)
    }
}
