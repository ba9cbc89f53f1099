import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(5))) struct `The metrics of the server program` {
    private static let guide = URL(filePath: #filePath).appending(path: "../../../../../Docs/Operations.md")
        .standardized

    @Test func `have HELP, and a row in the operations guide`() async throws {
        try await withFreshHome { home in
            let server = try ServerProgram(
                ["serve", "--port", "0"], home: home,
                environment: ["SHIFTLOG_SIGNING_SECRET": "f3b1c4a7d29e4c0aa7f3d8e65b9c1d20"])
            let line = try #require(await server.errorLine(containing: "listening on http://127.0.0.1:"))
            let port = try #require(line.split(separator: ":").last.flatMap { Int($0) })
            let url = try #require(URL(string: "http://127.0.0.1:\(port)"))
            _ = try await URLSession.shared.data(from: url.appending(path: "health/live"))
            let (bytes, _) = try await URLSession.shared.data(from: url.appending(path: "metrics"))
            server.signal(SIGTERM)
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
            func names(_ mark: String) -> [String] {
                lines.filter { $0.hasPrefix("# \(mark) ") }.map { String($0.split(separator: " ")[2]) }
            }
            let types = names("TYPE")
            #expect(types.count > 20 && names("HELP") == types)
            for part in ["logins_total", "sync_mutations_total", "http_requests_total", "process_threads"] {
                #expect(types.contains { $0.hasSuffix(part) }, "\(part)")
            }
            let guide = try String(contentsOf: Self.guide, encoding: .utf8)
            #expect(types.filter { !guide.contains("`\($0)`") } == [])
        }
    }
}
