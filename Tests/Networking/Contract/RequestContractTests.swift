import FoundationEssentials
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// What every transport sends.
@Suite(.timeLimit(.minutes(1))) struct RequestContractTests {
    @Test(arguments: Subject.allCases, HTTPMethod.common)
    func `method, target and fields go out as they are`(subject: Subject, method: HTTPMethod) async throws {
        try await subject.run(.whole()) { stage in
            let outcome = await stage.exchange(method, "/v1/tides/a%2Fb?q=%C3%BC+1", headers: ["X-One": "1, 2"])
            #expect(outcome.failure == nil)
            if let request = stage.server?.requests.first {
                #expect(request.head.hasPrefix("\(method.rawValue) /v1/tides/a%2Fb?q=%C3%BC+1 HTTP/1.1\r\n"))
                #expect(request.values("x-one") == ["1, 2"])
            }
            if let request = stage.scripted?.requests.first {
                #expect(request.method == method)
                #expect(request.headers["x-one"] == "1, 2")
            }
        }
    }

    /// Bodies of every make: empty, small and large; in memory, streamed with a length, streamed without.
    struct Upload: Sendable, CustomTestStringConvertible {
        let count: Int
        let make: String
        var testDescription: String { "\(count) bytes, \(make)" }

        var body: UploadBody {
            let bytes = Data((0..<count).map { UInt8(97 + $0 % 26) })
            if make == "in memory" { return .bytes(bytes) }
            return .stream(length: make == "streamed" ? count : nil, isReplayable: false) {
                ResponseBody(chunks: stride(from: 0, to: bytes.count, by: 10_000).map { bytes[$0...].prefix(10_000) })
            }
        }

        static let all = [0, 5, 70_000, 3_000_000].flatMap { count in
            ["in memory", "streamed", "without length"].map { Upload(count: count, make: $0) }
        }
    }

    @Test(arguments: Subject.onSockets, Upload.all)
    func `a body arrives whole`(subject: Subject, upload: Upload) async throws {
        try await subject.run(.whole(201)) { stage in
            let outcome = await stage.exchange(.put, body: upload.body)
            #expect(outcome.failure == nil)
            #expect(outcome.head?.status == 201)
            let request = try #require(stage.server?.requests.first)
            let isChunked = upload.make == "without length" && !subject.deviates(in: .chunkedUpload)
            #expect(request.values("transfer-encoding") == (isChunked ? ["chunked"] : []))
            if isChunked {
                #expect(request.body.utf8.count >= upload.count)
                #expect(request.body.hasSuffix("0\r\n\r\n"))
            } else {
                #expect(request.values("content-length") == ["\(upload.count)"])
                #expect(request.body.utf8.count == upload.count)
                #expect(request.body.utf8.elementsEqual((0..<upload.count).map { UInt8(97 + $0 % 26) }))
            }
        }
    }

    @Test(arguments: Subject.allCases, [3, 7])
    func `a stream that is not as long as it says is refused`(subject: Subject, announced: Int) async throws {
        try await subject.run(.whole()) { stage in
            let body = UploadBody.stream(length: announced, isReplayable: false) { ResponseBody(Data("abcde".utf8)) }
            let outcome = await stage.exchange(.put, body: body)
            #expect(outcome.kind == (subject.deviates(in: .readsUploads) ? "" : "invalidRequest"))
        }
    }

    @Test(arguments: Subject.onSockets)
    func `a stream that fails fails the call, with its own error`(subject: Subject) async throws {
        struct Torn: Error {}
        try await subject.run(.whole()) { stage in
            let body = UploadBody.stream(length: nil, isReplayable: false) {
                AsyncThrowingStream { $0.finish(throwing: Torn()) }
            }
            #expect(await stage.exchange(.put, body: body).failure != nil)
        }
    }

    @Test(arguments: Subject.onSockets)
    func `a GET with a body is sent, or refused in words`(subject: Subject) async throws {
        try await subject.run(.whole()) { stage in
            let outcome = await stage.exchange(.get, body: .bytes(Data("query".utf8)))
            if subject.deviates(in: .bodyOfGET) {
                #expect(outcome.kind == "invalidRequest")
                #expect(stage.server?.requests.isEmpty == true)
            } else {
                #expect(stage.server?.requests.first?.body == "query")
            }
        }
    }

    @Test(arguments: Subject.onSockets)
    func `a server may answer before it has the whole request`(subject: Subject) async throws {
        try await subject.run(.whole(413, headers: ["Connection": "close"], body: "too large", atHead: true)) { stage in
            let outcome = await stage.exchange(.put, body: .bytes(Data(repeating: 120, count: 200_000)))
            #expect(outcome.head?.status == 413)
            #expect(outcome.text == "too large")
        }
    }

    @Test(arguments: Subject.onSockets)
    func `one connection serves calls in a row`(subject: Subject) async throws {
        try await subject.run(.whole(body: "ok")) { stage in
            for _ in 1...5 { #expect(await stage.exchange().text == "ok") }
            #expect(stage.server?.connections == 1)
            for _ in 1...3 { #expect(await stage.exchange(.post).text == "ok") }
            #expect(stage.server?.connections == (subject.deviates(in: .reuseAfterPOST) ? 4 : 1))
            #expect(stage.server?.requests.count == 8)
        }
    }

    @Test(arguments: Subject.onSockets, [HTTPMethod.post, .patch, .put])
    func `a request that may have been served is not sent twice`(subject: Subject, method: HTTPMethod) async throws {
        let server = try await LoopbackServer.start(
            .init { $0.number == 1 ? [.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")] : [.close] })
        try await subject.on(server) { stage in
            #expect(await stage.exchange().head?.status == 200)
            #expect(await stage.exchange(method, body: .bytes(Data("x".utf8))).kind == "connectionLost")
            #expect(server.requests.count == 2)
        }
        await server.stop()
    }

    @Test(arguments: Subject.onSockets)
    func `a GET on a connection that has died is lost, or sent again`(subject: Subject) async throws {
        let server = try await LoopbackServer.start(
            .init { $0.number == 2 ? [.close] : [.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")] })
        try await subject.on(server) { stage in
            #expect(await stage.exchange().head?.status == 200)
            let isRepeated = subject.deviates(in: .sendsReadsOnce)
            #expect(await stage.exchange().kind == (isRepeated ? "" : "connectionLost"))
            #expect(server.requests.count == (isRepeated ? 3 : 2))
        }
        await server.stop()
    }

    @Test(arguments: Subject.allCases)
    func `a hundred calls at once are all answered`(subject: Subject) async throws {
        try await subject.run(.whole(body: "ok")) { stage in
            let texts = await withTaskGroup(of: String.self) { group in
                for number in 0..<100 { group.addTask { await stage.exchange(.get, "/\(number)").text } }
                return await group.reduce(into: [String]()) { $0.append($1) }
            }
            #expect(texts == Array(repeating: "ok", count: 100))
        }
    }
}
