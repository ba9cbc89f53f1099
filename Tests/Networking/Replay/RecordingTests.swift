import Foundation
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

struct RecordingTests {
    private let recordings: Recordings

    init() throws { recordings = try Recordings() }

    @Test func `what was recorded is replayed`() async throws {
        let base = ScriptedTransport(.json(tideJSON), .json(tideJSON, status: 201), .status(404, body: "no"))
        let recorder = recordings.recorder(base)
        let recording = try recordings.client(recorder)
        let first = try await recording.send(ShowTide(day: "1"))
        _ = try await recording.send(AddTide())
        _ = try await recording.collect(RawRequest(.get, "/none"))
        try recorder.finish()

        let replay = try recordings.replay()
        let client = try recordings.client(replay)
        #expect(replay.unused.count == 3)
        let missing = try await client.collect(RawRequest(.get, "/none"))
        #expect(missing.head.status == 404 && missing.bytes == Data("no".utf8))
        #expect(try await client.send(ShowTide(day: "1")) == first)
        #expect(replay.unused == ["entry 2, POST http://tides.test/v1/tides"])
        _ = try await client.send(AddTide())
        #expect(replay.unused.isEmpty)
    }

    @Test func `the file has no secret`() async throws {
        let request = RawRequest(
            .post, "/login/CANARY-1/x?page=1&access_token=CANARY-2",
            headers: ["Cookie": "sid=CANARY-3", "X-Api-Key": "CANARY-4"],
            body: .bytes(Data(#"{"user":"ada","password":"CANARY-5"}"#.utf8), contentType: MediaType.json))
        let answer = ScriptedTransport.Answer.json(
            #"{"access_token":"CANARY-6","expires_in":60,"you":"ada","echo":"CANARY-5 and CANARY-7","#
                + #""next":"http://tides.test/?token=CANARY-8","path":"/login/CANARY-1"}"#,
            headers: [
                "Set-Cookie": "sid=CANARY-9", "X-Echo": "CANARY-7", "Content-Digest": "sha-256=:AAAA:", "ETag": "\"1\"",
            ])
        try await recordings.record(
            [request], [answer], auth: .token(Secret("CANARY-7")), secrets: [Secret("CANARY-1")])
        let text = recordings.text
        #expect(!text.contains("CANARY"))
        // What a test needs stays.
        for kept in ["ada", "expires_in", "page=1", "\\\"1\\\"", "X-Echo", "POST"] {
            #expect(text.contains(kept), "\(kept)")
        }
        // It would be that of another body.
        #expect(!text.contains("Content-Digest"))
        let permissions = try FileManager.default.attributesOfItem(atPath: recordings.file)[.posixPermissions]
        #expect(permissions as? Int == 0o600)

        // Other secrets lead to the same entry.
        let replay = try recordings.replay()
        var other = request
        other.url = "/login/another/x?access_token=other&page=1"
        other.body = .bytes(Data(#"{"password":"other","user":"ada"}"#.utf8), contentType: MediaType.json)
        let response = try await recordings.client(replay, auth: .token(Secret("other"))).collect(other)
        let value = try WireJSON.decode(JSONValue.self, from: response.bytes).object
        #expect(value?["expires_in"] == 60)
        #expect(value?["echo"] == "<redacted> and <redacted>")
        #expect(replay.unused.isEmpty)
    }

    @Test func `the same traffic leads to the same bytes`() async throws {
        let requests = [RawRequest(.get, "/a?x=1"), RawRequest(.put, "/b", body: .bytes(Data([0xFF])))]
        let answers: [ScriptedTransport.Answer] = [.json(tideJSON, headers: ["X-B": "1", "X-A": "2"]), .status(204)]
        try await recordings.record(requests, answers)
        let first = recordings.text
        try await recordings.record(requests, answers)
        #expect(recordings.text == first)
        #expect(first.hasSuffix("}\n"))
        for varying in ["X-Request-Id", "traceparent", "Accept-Encoding"] { #expect(!first.contains(varying)) }
    }

    @Test func `entries stand in the order in which calls began, with their times`() async throws {
        let gate = Gate()
        let clock = ManualClock()
        let base = ScriptedTransport(.held(by: gate, then: .status(200, body: "slow")), .status(200, body: "fast"))
        let recorder = recordings.recorder(base, clock: clock)
        let client = try recordings.client(recorder)
        async let slow = client.text("/slow")
        await base.waitForCalls(1)
        #expect(try await client.text("/fast") == "fast")
        clock.advance(by: .milliseconds(1500))
        gate.open()
        #expect(try await slow == "slow")
        try recorder.finish()
        let entries = try recordings.entries
        #expect(
            entries.map { $0.object?["request"]?.object?["url"] } == [
                "http://tides.test/slow", "http://tides.test/fast",
            ])
        #expect(entries.map { $0.object?["time"] } == [1500, 0])
        #expect(entries.first?.object?["timings"] == ["send": 0, "wait": 1500, "receive": 0])
        #expect(entries.first?.object?["startedDateTime"]?.string?.hasPrefix("2026-11-21T09:00:00") == true)
    }

    @Test func `a compressed body is kept decoded`() async throws {
        let packed = Deflate.gzip(Data(tideJSON.utf8))
        try await recordings.record(
            [RawRequest(.get, "/a")],
            [
                .chunks(
                    [packed],
                    headers: [
                        "Content-Encoding": "gzip", "Content-Length": "\(packed.count)",
                        "Content-Type": "application/json",
                    ]
                )
            ])
        #expect(!recordings.text.contains("gzip"))
        #expect(try await recordings.client(recordings.replay()).text("/a") == tideJSON)
    }

    @Test func `bytes that are no text come back`() async throws {
        let bytes = Data((0...255).map { UInt8($0) })
        try await recordings.record(
            [RawRequest(.post, "/a", body: .bytes(bytes))], [.chunks([bytes.prefix(100), bytes.dropFirst(100)])])
        let client = try recordings.client(recordings.replay())
        let other = await client.failure(RawRequest(.post, "/a", body: .bytes(bytes + [1])))
        #expect(other.contains("the body differs"), "\(other)")
        #expect(try await client.collect(RawRequest(.post, "/a", body: .bytes(bytes))).bytes == bytes)
    }

    @Test func `a streamed body is compared, with any boundary of a form`() async throws {
        func form(_ text: String) throws -> UploadBody {
            try MultipartForm([.field("note", text)]).body()
        }
        try await recordings.record(
            [RawRequest(.post, "/form", body: try form("hello"))], [.status(200, body: "got it")])
        let client = try recordings.client(recordings.replay())
        #expect(await client.failure(RawRequest(.post, "/form", body: try form("bye"))).contains("the body differs"))
        #expect(
            try await client.collect(RawRequest(.post, "/form", body: try form("hello"))).bytes == Data("got it".utf8))
    }

    @Test func `a body beyond the limit is not kept, and the replay says so`() async throws {
        try await recordings.record(
            [RawRequest(.get, "/a")], [.chunks([Data("1234".utf8), Data("5".utf8)])], bodyLimit: 4)
        #expect(!recordings.text.contains("1234"))
        let failure = try await recordings.client(recordings.replay()).failure(RawRequest(.get, "/a"))
        #expect(failure.contains("Record it again with a larger 'bodyLimit'"), "\(failure)")
    }

    @Test func `failures are replayed, so that a retry is too`() async throws {
        try await recordings.record(
            [RawRequest(.get, "/a")],
            [
                .failure(.offline("no route")),
                .chunks([Data("cut".utf8)], then: NetworkError(.connectionLost("reset"))),
                .status(200, body: "whole"),
            ])
        #expect(try recordings.entries.count == 3)
        let replay = try recordings.replay()
        #expect(try await recordings.client(replay).text("/a") == "whole")
        #expect(replay.unused.isEmpty)
    }

    @Test func `a cancelled call is left out`() async throws {
        let base = ScriptedTransport(.silence)
        let recorder = recordings.recorder(base)
        let client = try recordings.client(recorder)
        let call = Task { try await client.text("/a") }
        await base.waitForCalls(1)
        call.cancel()
        _ = await call.result
        try recorder.finish()
        #expect(try recordings.entries.isEmpty)
        #expect(throws: RecordingError.self) { try recordings.replay() }
    }

    @Test func `a redirect and its target are two entries`() async throws {
        try await recordings.record(
            [RawRequest(.get, "/old")],
            [.status(302, headers: ["Location": "/new?token=CANARY"]), .status(200, body: "new")])
        #expect(!recordings.text.contains("CANARY"))
        let replay = try recordings.replay()
        #expect(try await recordings.client(replay).text("/old") == "new")
        #expect(replay.unused.isEmpty)
    }

    @Test func `a refused token is refreshed in the replay as in the recording`() async throws {
        let refusal = ["WWW-Authenticate": #"Bearer error="invalid_token""#] as HeaderFields
        try await recordings.record(
            [RawRequest(.get, "/a")], [.status(401, headers: refusal), .status(200, body: "in")],
            auth: .bearer(ScriptedTokens("CANARY-1", refreshed: "CANARY-2")))
        #expect(!recordings.text.contains("CANARY"))
        let replay = try recordings.replay()
        let client = try recordings.client(replay, auth: .bearer(ScriptedTokens("x", refreshed: "y")))
        #expect(try await client.text("/a") == "in")
        #expect(replay.unused.isEmpty)
    }

    @Test func `a file that cannot be written is an error with its path`() async throws {
        let recorder = RecordingTransport(wrapping: ScriptedTransport(), to: recordings.directory.file("none/x.har"))
        let error = #expect(throws: RecordingError.self) { try recorder.finish() }
        #expect(error?.description.contains("none/x.har") == true)
    }
}
