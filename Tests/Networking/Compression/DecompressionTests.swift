import FoundationEssentials
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

struct DecompressionTests {
    private static let text = Data((0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) })

    /// What a call sees of `body`, sent in pieces of `piece` bytes.
    private func seen(
        _ body: Data, coding: String?, piece: Int = 1000, limit: Int = 256 << 20, method: HTTPMethod = .get,
        status: Int = 200, asking: HeaderFields = [:]
    ) async throws -> (response: RawResponse, asked: String?) {
        var headers: HeaderFields = ["Content-Length": String(body.count), "ETag": "\"x\""]
        if let coding { headers.add("Content-Encoding", coding) }
        let chunks = stride(from: 0, to: body.count, by: piece).map { Data(body.dropFirst($0).prefix(piece)) }
        let transport = ScriptedTransport(.chunks(chunks, status: status, headers: headers))
        let request = ClientRequest(
            method, try HTTPURL("http://tides.test/"), headers: asking,
            context: CallContext(
                requestId: "1", summary: "GET /", deadline: Deadline(in: .seconds(9), on: MonotonicTime(ManualClock())))
        )
        let response = try await Pipeline([DecompressionInterceptor(limit: limit)], transport: transport).send(request)
        {
            RawResponse(head: $0.head, bytes: try await $0.body.collect(upTo: 1 << 30))
        }
        return (response, transport.requests.first?.headers["Accept-Encoding"])
    }

    private func failure(_ body: Data, coding: String, piece: Int = 1000, limit: Int = 256 << 20) async -> String {
        do {
            _ = try await seen(body, coding: coding, piece: piece, limit: limit)
            return "no failure"
        } catch {
            guard case .invalidResponse(let why) = (error as? NetworkError)?.kind else { return "\(error)" }
            return "invalidResponse: \(why)"
        }
    }

    @Test(arguments: [
        ("gzip", Deflate.gzip), ("x-gzip", .gzip), ("GZIP", .gzip), ("deflate", .zlib), ("deflate", .bare),
        ("identity, gzip", .gzip),
    ])
    func `a body is inflated, in pieces of any size`(coding: String, deflate: Deflate) async throws {
        for piece in [1, 7, 1000, 1 << 20] {
            let (response, asked) = try await seen(deflate(Self.text), coding: coding, piece: piece)
            #expect(response.bytes == Self.text)
            #expect(asked == "gzip, deflate")
            #expect(response.head.headers["Content-Encoding"] == nil)
            #expect(response.head.headers["Content-Length"] == nil)
            #expect(response.head.headers["ETag"] == "\"x\"")
        }
    }

    @Test func `a plain body passes as it is`() async throws {
        for coding in [nil, "identity", ""] {
            let (response, _) = try await seen(Self.text, coding: coding)
            #expect(response.bytes == Self.text)
            #expect(response.head.headers["Content-Length"] == "50000")
        }
    }

    @Test func `several members are one body`() async throws {
        let half = Self.text.prefix(20_000)
        let body = Deflate.gzip(half) + Deflate.gzip(Data()) + Deflate.gzip(Self.text.dropFirst(20_000))
        for piece in [1, 33, 1 << 20] {
            #expect(try await seen(body, coding: "gzip", piece: piece).response.bytes == Self.text)
        }
    }

    @Test(arguments: [1, 100_000])
    func `a damaged body is an invalid answer`(piece: Int) async {
        let whole = Deflate.gzip(Self.text)
        var badSum = whole
        badSum[badSum.count - 6] ^= 1
        var badLength = whole
        badLength[badLength.count - 1] ^= 1
        var badMiddle = whole
        badMiddle[badMiddle.count / 2] ^= 0xFF
        for (name, body, text) in [
            ("truncated", whole.dropLast(1), "ends too early"),
            ("half", whole.prefix(whole.count / 2), "ends too early"),
            ("one byte", whole.prefix(1), "ends too early"), ("header", whole.prefix(9), "ends too early"),
            ("checksum", badSum, "damaged"), ("length", badLength, "damaged"), ("middle", badMiddle, "damaged"),
            ("no gzip", Self.text, "damaged"), ("garbage behind", whole + Data("xyz".utf8), "damaged"),
            ("half a member behind", whole + whole.prefix(30), "ends too early"),
        ] {
            let failure = await failure(Data(body), coding: "gzip", piece: piece)
            #expect(failure.hasPrefix("invalidResponse") && failure.contains(text), "\(name): \(failure)")
        }
        for deflate in [Deflate.zlib, .bare] {
            #expect(
                await failure(deflate(Self.text) + Data([1]), coding: "deflate", piece: piece).contains("bytes follow"))
            #expect(
                await failure(deflate(Self.text).dropLast(9), coding: "deflate", piece: piece).contains("too early"))
        }
    }

    @Test(arguments: ["gzip", "deflate"])
    func `a body without a byte is empty, whatever its coding`(coding: String) async throws {
        let (response, _) = try await seen(Data(), coding: coding)
        #expect(response.bytes == Data())
        #expect(response.head.headers["Content-Encoding"] == nil)
    }

    @Test(arguments: ["br", "zstd", "gzip, gzip", "gzip, br", "deflate,gzip"])
    func `a coding we cannot undo is named`(coding: String) async {
        let failure = await failure(Deflate.gzip(Self.text), coding: coding)
        #expect(failure.hasPrefix("invalidResponse"))
        #expect(failure.contains("'\(coding.replacing(",gzip", with: ", gzip"))'"))
    }

    @Test func `only a body over the limit is an error with the limit`() async throws {
        let body = Deflate.gzip(Self.text)
        #expect(try await seen(body, coding: "gzip", limit: 50_000).response.bytes == Self.text)
        #expect(await failure(body, coding: "gzip", limit: 49_999).contains("more than 49999 bytes"))
    }

    @Test func `a call that asks for the plain content is left alone`() async throws {
        let body = Deflate.gzip(Self.text)
        let (response, asked) = try await seen(body, coding: "gzip", asking: ["accept-encoding": "identity"])
        #expect(response.bytes == body)
        #expect(asked == "identity")
        #expect(response.head.headers["Content-Encoding"] == "gzip")
        #expect(try await seen(body, coding: "gzip", asking: ["Accept-Encoding": "gzip"]).asked == "gzip")
    }

    @Test func `answers without content or with a part of it are left alone`() async throws {
        #expect(
            try await seen(Data(), coding: "br", method: .head).response.head.headers["Content-Encoding"] == "br")
        for status in [204, 206, 304] {
            let (response, _) = try await seen(Data("x".utf8), coding: "gzip", status: status)
            #expect(response.bytes == Data("x".utf8))
            #expect(response.head.headers["Content-Encoding"] == "gzip")
        }
    }

    @Test(arguments: 1...30 as ClosedRange<UInt64>)
    func `no damage crashes or passes unnoticed`(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        var body = Deflate.gzip(Self.text)
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            body[Int.random(in: 10..<body.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
        }
        let seen = try? await seen(body, coding: "gzip", piece: Int.random(in: 1...3000, using: &random))
        #expect(seen == nil || seen?.response.bytes == Self.text)
    }
}
