import Foundation
import StrataTesting
import Testing

/// One name for a call on both sides, and one for what it belongs to.
@Suite(.serialized) struct RequestIdTests {
    @Test func `a failing call has one request id and one trace id in both logs and in its problem document`()
        async throws
    {
        let (workspace, server) = try await Workspace.loggedIn(settings: ["SHIFTLOG_LOG_LEVEL": "info"])
        let path = "/v1/journal/entries/01890000-0000-7000-8000-000000000000"

        let result = try await workspace.shiftlog(["request", "GET", path, "-v", "--json"], server: server)

        #expect(result.status == 66, "\(result.err)")
        let document = try result.json()
        let id = try #require(document["request_id"].text)
        #expect(try JSON(document["body"].text ?? "")["request_id"].text == id)
        let field = document["headers"].list.first { $0["name"].text?.lowercased() == "x-request-id" }
        #expect(field?["value"].text == id)

        let ours = try #require(Self.line(of: id, with: "404", in: result.err), "\(result.err)")
        try await eventually("the server has logged it") {
            Self.line(of: id, with: path, in: server.program.errorsSoFar) != nil
        }
        let theirs = try #require(Self.line(of: id, with: path, in: server.program.errorsSoFar))
        #expect(theirs.contains("404"))
        let trace = try #require(Self.value("trace_id", in: ours))
        #expect(trace.count == 32)
        #expect(Self.value("trace_id", in: theirs) == trace)
    }

    private static func line(of id: String, with words: String, in log: String) -> String? {
        log.split(separator: "\n").map(String.init).first { $0.contains(id) && $0.contains(words) }
    }

    /// Of `name=value` or `"name":"value"` in a line of a log.
    private static func value(_ name: String, in line: String) -> String? {
        for sign in ["\(name)=", "\"\(name)\":\""] {
            guard let found = line.range(of: sign) else { continue }
            let value = line[found.upperBound...].prefix { $0.isHexDigit || $0 == "-" }
            if !value.isEmpty { return String(value) }
        }
        return nil
    }
}
