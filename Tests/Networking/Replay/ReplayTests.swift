import Foundation
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

struct ReplayTests {
    private let recordings: Recordings

    init() throws { recordings = try Recordings() }

    private func entry(
        _ method: String, _ url: String, body: String? = nil, type: String = MediaType.json, answer: String = "ok"
    ) -> String {
        let post = body.map { body in
            let text = String(decoding: (try? WireJSON.encode(body)) ?? Data(), as: UTF8.self)
            return #","postData":{"mimeType":"\#(type)","text":\#(text)}"#
        }
        return
            #"{"request":{"method":"\#(method)","url":"\#(url)","headers":[{"name":"Content-Type","value":"\#(type)"}]"#
            + (post ?? "") + #"},"response":{"status":200,"headers":[],"content":{"text":"\#(answer)"}}}"#
    }

    private func post(_ url: String, _ body: String, _ type: String = MediaType.json) -> RawRequest {
        RawRequest(.post, url, body: .bytes(Data(body.utf8), contentType: type))
    }

    // MARK: - Unknown requests

    @Test(arguments: [
        ("GET", "/notes?page=3", "entry 2, GET http://tides.test/notes?page=2: query item 'page' is '3' and not '2'."),
        ("GET", "/notes?page=2&a=1", "entry 2, GET http://tides.test/notes?page=2: query item 'a' is new."),
        ("GET", "/notes?", "entry 2, GET http://tides.test/notes?page=2: query item 'page' is missing."),
        ("DELETE", "/notes/1", "entry 1, GET http://tides.test/notes/1: the method is DELETE and not GET."),
        ("GET", "/notes/2", "entry 1, GET http://tides.test/notes/1: the path is '/notes/2' and not '/notes/1'."),
        (
            "GET", "https://tides.test/notes/1",
            "entry 1, GET http://tides.test/notes/1: the origin is 'https://tides.test'"
        ),
    ])
    func `an unknown request fails with the nearest known one`(method: String, url: String, hint: String) async throws {
        try recordings.write(
            entry("GET", "http://tides.test/notes/1"), entry("GET", "http://tides.test/notes?page=2"),
            entry("PUT", "http://tides.test/other/place"))
        let client = try recordings.client(recordings.replay())
        let failure = await client.failure(RawRequest(try #require(HTTPMethod(rawValue: method)), url))
        #expect(failure.contains("is not in the recording '\(recordings.file)'"), "\(failure)")
        #expect(failure.contains("The nearest is \(hint)"), "\(failure)")
    }

    @Test(arguments: [
        (#"{"a":{"b":[1,2]}}"#, "the body differs at 'a.b[1]'"), (#"{"a":{"b":[1]},"c":1}"#, "the body differs at 'c'"),
        (#"{"a":{}}"#, "the body differs at 'a.b'"), ("", "there is no body"), ("[1]", "the body differs at 'body'"),
    ])
    func `a difference of JSON is told by its path, without values`(body: String, difference: String) async throws {
        try recordings.write(entry("POST", "http://tides.test/a", body: #"{"a":{"b":[1]}}"#))
        let client = try recordings.client(recordings.replay())
        let request = body.isEmpty ? RawRequest(.post, "/a") : post("/a", body)
        let failure = await client.failure(request)
        #expect(failure.contains(difference), "\(failure)")
        // A failed request uses no entry.
        #expect(try await client.collect(post("/a", #"{"a":{"b":[1.0]}}"#)).bytes == Data("ok".utf8))
    }

    @Test func `the hint shows no secret`() async throws {
        try recordings.write(
            entry("POST", "http://tides.test/a?token=CANARY-1", body: "password=CANARY-2&n=1", type: MediaType.form))
        let client = try recordings.client(recordings.replay(), auth: .token(Secret("CANARY-3")))
        let failure = await client.failure(
            post("/a?token=CANARY-4&q=CANARY-3", "n=2&password=CANARY-5", MediaType.form))
        #expect(!failure.contains("CANARY"), "\(failure)")
        #expect(failure.contains("query item 'q' is new; form field 'n' is '2' and not '1'"), "\(failure)")
    }

    // MARK: - Matching

    @Test func `order of items and members, and secrets, make no difference`() async throws {
        try recordings.write(
            entry("POST", "http://tides.test/a?x=1&key=old&y=2", body: #"{"b":1,"token":"old","c":[true]}"#),
            entry("POST", "http://tides.test/form", body: "user=ada&password=old", type: MediaType.form))
        let replay = try recordings.replay()
        let client = try recordings.client(replay)
        _ = try await client.collect(post("/a?y=2&x=1&key=new", #"{"c":[true],"token":"new","b":1.0}"#))
        _ = try await client.collect(post("/form", "password=new&user=ada", MediaType.form))
        #expect(replay.unused.isEmpty)
    }

    @Test func `items of one name keep their order`() async throws {
        try recordings.write(entry("GET", "http://tides.test/a?id=1&id=2"))
        let client = try recordings.client(recordings.replay())
        #expect(await client.failure(RawRequest(.get, "/a?id=2&id=1")).contains("'id' is '2', '1' and not '1', '2'"))
        #expect(try await client.text("/a?id=1&id=2") == "ok")
    }

    @Test func `a mask in the recording stands for any text`() async throws {
        try recordings.write(entry("GET", "http://tides.test/bot-redacted/send?to=redacted-1"))
        let client = try recordings.client(recordings.replay(repeatsLast: true))
        #expect(try await client.text("/bot-123/send?to=a-1") == "ok")
        #expect(await client.failure(RawRequest(.get, "/bot-123/sent?to=a-1")).contains("the path is"))
        #expect(await client.failure(RawRequest(.get, "/bot-123/send?to=a-2")).contains("query item 'to'"))
        #expect(await client.failure(RawRequest(.get, "/123/send?to=a-1")).contains("the path is"))
    }

    // MARK: - Order

    @Test func `entries of one request answer in their order, each once`() async throws {
        try recordings.write(
            entry("GET", "http://tides.test/a", answer: "1"), entry("GET", "http://tides.test/b", answer: "b"),
            entry("GET", "http://tides.test/a", answer: "2"))
        let replay = try recordings.replay()
        let client = try recordings.client(replay)
        #expect(try await client.text("/a") == "1")
        #expect(try await client.text("/a") == "2")
        let failure = await client.failure(RawRequest(.get, "/a"))
        #expect(failure.contains("is recorded 2 times"), "\(failure)")
        #expect(failure.contains("last as entry 3"), "\(failure)")
        #expect(replay.unused == ["entry 2, GET http://tides.test/b"])
    }

    @Test func `the last entry repeats where that is asked for`() async throws {
        try recordings.write(
            entry("GET", "http://tides.test/a", answer: "1"), entry("GET", "http://tides.test/a", answer: "2"))
        let client = try recordings.client(recordings.replay(repeatsLast: true))
        var texts: [String] = []
        for _ in 0..<4 { texts.append(try await client.text("/a")) }
        #expect(texts == ["1", "2", "2", "2"])
    }

    @Test func `each of many calls at once gets an entry of its own`() async throws {
        let entries = (0..<50).map { entry("GET", "http://tides.test/a", answer: "\($0)") }
        try recordings.write(entries.joined(separator: ","))
        let replay = try recordings.replay()
        let client = try recordings.client(replay)
        let texts = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<50 { group.addTask { try await client.text("/a") } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(texts.count == 50)
        #expect(replay.unused.isEmpty)
    }
}
