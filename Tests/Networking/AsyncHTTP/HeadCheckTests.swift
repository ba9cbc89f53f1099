import FoundationEssentials
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// Heads that the parser lets through.
@Suite(.timeLimit(.minutes(1))) struct HeadCheckTests {
    private static let streamed = UploadBody.stream(length: 4, isReplayable: false) { ResponseBody(Data("tide".utf8)) }

    private func kind(_ response: String, _ body: UploadBody?) async throws -> String {
        var kind = ""
        try await Subject.asyncHTTP.run(Reply(response, [.send(response), .close], as: .silence)) { stage in
            kind = await stage.exchange(body == nil ? .get : .post, body: body).kind
            try await stage.waitForClose()
        }
        return kind
    }

    @Test(arguments: ["000", "001", "099"], [true, false])
    func `a status below 100 is no legal answer`(status: String, isStreamed: Bool) async throws {
        for rest in ["Content-Length: 0\r\n\r\n", "Content-Length: 4\r\n\r\nhigh", "\r\nhigh"] {
            let kind = try await kind("HTTP/1.1 \(status) X\r\n\(rest)", isStreamed ? Self.streamed : nil)
            #expect(kind == "invalidResponse", "\(rest)")
        }
    }

    @Test(arguments: ["gzip", "identity", "chunked, foo", "gzip, chunked", "x\r\nTransfer-Encoding: chunked"])
    func `a body in an unknown transfer coding is an error`(coding: String) async throws {
        let response = "HTTP/1.1 200 OK\r\nTransfer-Encoding: \(coding)\r\n\r\n4\r\nhigh\r\n0\r\n\r\n"
        #expect(try await kind(response, nil) == "invalidResponse")
    }

    @Test(arguments: ["chunked", "Chunked", " CHUNKED "])
    func `chunked is understood however it is written`(coding: String) async throws {
        let response = "HTTP/1.1 200 OK\r\nTransfer-Encoding:\(coding)\r\n\r\n4\r\nhigh\r\n0\r\n\r\n"
        #expect(try await kind(response, nil).isEmpty)
    }
}
