import FoundationEssentials
import StrataAsyncHTTP
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

struct CutConnectionTests {
    @Test(arguments: [1, 2, 3] as [UInt64])
    func `a file survives connections that are cut at random`(seed: UInt64) async throws {
        let directory = try TemporaryDirectory()
        // One byte a character: the server speaks text.
        let origin = FileOrigin(content: Data((0..<300_000).map { UInt8(33 + $0 &* 7 % 90) }))
        let random = Shared(SeededRandom(seed: seed))
        let sent = Shared<(bytes: Int, cuts: Int)>((0, 0))
        let script = LoopbackServer.Script { exchange in
            var request = HeaderFields()
            for line in exchange.head.split(separator: "\r\n").dropFirst() {
                let parts = line.split(separator: ":", maxSplits: 1)
                if parts.count == 2 { request.add(String(parts[0]), String(parts[1].drop { $0 == " " })) }
            }
            let (head, body) = origin.plain(request)
            let fields = head.headers.map { "\($0.name): \($0.value)\r\n" }.joined()
            let count = min(body.count, random.change { Int.random(in: 1...60_000, using: &$0) })
            sent.change {
                $0.bytes += count
                if count < body.count { $0.cuts += 1 }
            }
            let start = LoopbackServer.Step.send(
                "HTTP/1.1 \(head.status) X\r\n\(fields)\r\n\(String(decoding: body.prefix(count), as: UTF8.self))")
            return count < body.count ? [start, .close] : [start]
        }
        let server = try await LoopbackServer.start(script)
        let transport = AsyncHTTPTransport()
        let resilience = Resilience(
            try ResilienceOptions(retry: RetryPolicy(attempts: 3, baseDelay: .zero, longestDelay: .zero)))
        let client = try HTTPAPIClient(
            baseURL: HTTPURL(server.url), transport: transport, resilience: resilience)
        do {
            let file = try await ResumableDownloads(client: client, resilience: resilience).download(
                RawRequest(.get, "/a"), DownloadRequest(path: directory.path + "/a", digest: origin.sha256))
            #expect(file.isVerified)
            #expect(directory.content("a") == origin.content)
            #expect(sent.value.cuts > 1)
            #expect(sent.value.bytes <= 300_000 + sent.value.cuts * 65_536)
        } catch { Issue.record(error) }
        await transport.shutdown()
        await server.stop()
    }
}
