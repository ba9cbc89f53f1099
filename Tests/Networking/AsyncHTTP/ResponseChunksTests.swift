import FoundationEssentials
import StrataAsyncHTTP
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// How a body comes through, whoever reads it and however slowly.
@Suite(.timeLimit(.minutes(1))) struct ResponseChunksTests {
    @Test(arguments: 1...4)
    func `no byte is lost or out of place, however it is cut and read`(seed: UInt64) async throws {
        let text = (0..<600_000).map { "\($0)," }.joined()
        let steps = Self.pieces(of: text, seed: seed).map { piece in
            LoopbackServer.Step.send("\(String(piece.utf8.count, radix: 16))\r\n\(piece)\r\n")
        }
        let head = LoopbackServer.Step.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        try await Subject.asyncHTTP.run(Reply("pieces", [head] + steps + [.send("0\r\n\r\n")], as: .silence)) { stage in
            let (bytes, largest) = (Shared(Data()), Shared(0))
            try await stage.transport.send(try stage.request()) { response in
                var random = SeededRandom(seed: seed)
                for try await chunk in response.body {
                    for _ in 0..<Int.random(in: 0...20, using: &random) { await Task.yield() }
                    bytes.change { $0 += chunk }
                    largest.change { $0 = max($0, chunk.count) }
                }
            }
            #expect(bytes.value == Data(text.utf8))
            // What one read from the socket brings.
            #expect(largest.value <= 512 * 1024)
        }
    }

    private static func pieces(of text: String, seed: UInt64) -> [Substring] {
        var (random, rest, pieces) = (SeededRandom(seed: seed), text[...], [Substring]())
        while !rest.isEmpty {
            let largest = [10, 3000, 200_000].randomElement(using: &random) ?? 1
            pieces.append(rest.prefix(Int.random(in: 1...largest, using: &random)))
            rest = rest.dropFirst(pieces.last?.count ?? 0)
        }
        return pieces
    }

    @Test func `bytes that had arrived are read before the failure`() async throws {
        let reply = Reply(
            "a break", [.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhigh"), .close], as: .silence)
        try await Subject.asyncHTTP.run(reply) { stage in
            let outcome = await stage.exchange()
            #expect(outcome.text == "high")
            #expect(outcome.kind == "connectionLost")
        }
    }

    @Test func `a body cannot be read once its response was given back`() async throws {
        try await Subject.asyncHTTP.run(.whole(body: "tide")) { stage in
            let kept = Shared<ResponseBody?>(nil)
            try await stage.transport.send(try stage.request()) { response in kept.change { $0 = response.body } }
            let body = try #require(kept.value)
            let error = await #expect(throws: NetworkError.self) { try await body.collect(upTo: 100) }
            #expect(error?.description.contains("given back") == true)
        }
    }

    @Test func `an answer that was there leaves its connection to others, unread as it is`() async throws {
        try await Subject.asyncHTTP.run(.whole(body: "tide")) { stage in
            for _ in 1...3 { try await stage.transport.send(try stage.request()) { _ in } }
            #expect(await stage.exchange().text == "tide")
        }
    }

    @Test func `of two readers, one is refused`() async throws {
        try await Subject.asyncHTTP.run(.stalled) { stage in
            let failures = Shared<[String]>([])
            let call = Task {
                try await stage.transport.send(try stage.request()) { response in
                    await withTaskGroup(of: Void.self) { group in
                        for _ in 1...2 {
                            group.addTask {
                                do { for try await _ in response.body {} } catch {
                                    failures.change { $0.append("\(error)") }
                                }
                            }
                        }
                        await group.next()
                        group.cancelAll()
                    }
                }
            }
            _ = await call.result
            #expect(failures.value.first?.contains("two readers") == true)
            #expect(failures.value.count == 2)
            try await stage.waitForClose()
        }
    }

    static let targets = [
        "/a%2Fb?x=%20&y=+", "/%7Euser/~user", "/a//b/", "/a;p=1,2?q=;:@&=+$,/?'()*!", "/?", "/?a", "/?a=&b==c",
        "/a%2fB",
        "/%C3%BC?%c3%bc", "/a?b?c", "/a:b@c", "/-._~",
    ]

    @Test(arguments: targets)
    func `a target goes out byte for byte`(target: String) async throws {
        try await Subject.asyncHTTP.run(.whole()) { stage in
            #expect(await stage.exchange(.get, target).failure == nil)
            #expect(stage.server?.requests.first?.head.hasPrefix("GET \(target) HTTP/1.1\r\n") == true)
        }
    }
}
