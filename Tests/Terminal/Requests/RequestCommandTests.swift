import Foundation
import StrataDomain
import StrataSystem
import StrataTerminal
import StrataTesting
import Testing

struct RequestCommandTests {
    @Test func `the body is printed unchanged`() async throws {
        let body = Data([0xFF, 0x00, 0x0A, 0x41])
        let run = try await RequestRun(["request", "GET", "/x"], ScriptedRawClient(.answer(200, body)))
        #expect(run.output.bytes == body)
        #expect(run.errors.text.isEmpty && run.status == .done)
    }

    @Test func `status and header fields are printed on request`() async throws {
        let client = ScriptedRawClient(.answer(200, "hi", headers: ["X-A": "1", "x-b": "\u{1B}[2J"]))
        let run = try await RequestRun(["request", "GET", "/x", "-i"], client)
        #expect(run.output.text == "HTTP 200\nX-A: 1\nx-b: \\x1B[2J\n\nhi")
    }

    @Test(arguments: [
        (200, ExitStatus.done), (204, .done), (304, .done), (400, .rejected), (401, .noPermission),
        (403, .noPermission), (404, .notFound), (405, .rejected), (407, .noPermission), (408, .tryLater),
        (409, .rejected), (410, .notFound), (412, .rejected), (413, .rejected), (422, .rejected), (425, .tryLater),
        (428, .rejected), (429, .tryLater), (451, .rejected), (500, .unavailable), (501, .unavailable),
        (503, .unavailable), (504, .unavailable), (599, .unavailable),
    ])
    func `every status ends with its code, and its body is printed`(status: Int, code: ExitStatus) async throws {
        let run = try await RequestRun(["request", "GET", "/x"], ScriptedRawClient(.answer(status, "body")))
        #expect(run.status == code)
        #expect(run.output.text == "body")
        #expect(run.errors.text.contains("answered with \(status)") == (status >= 400))
        let json = try await RequestRun(["request", "GET", "/x", "--json"], ScriptedRawClient(.answer(status)))
        #expect(json.status == code)
        #expect(json.errors.text.isEmpty)
    }

    @Test(arguments: [
        (NetworkError.Kind.invalidRequest("x"), ExitStatus.usage, "invalid_request"),
        (.offline("x"), .unavailable, "offline"), (.connectionLost("x"), .unavailable, "connection_lost"),
        (.timeout, .tryLater, "timeout"), (.tls("x"), .unavailable, "tls"),
        (.unauthorized(nil), .noPermission, "unauthorized"),
        (.circuitOpen(origin: "o", until: Date(timeIntervalSince1970: 0)), .unavailable, "circuit_open"),
        (.invalidResponse("x"), .rejected, "invalid_response"), (.storage("x"), .cannotWrite, "storage"),
        (.cancelled, .interrupted, "cancelled"), (.unexpected("x"), .software, "unexpected"),
        (.rateLimited(retryAfter: nil), .tryLater, "rate_limited"), (.server(502, nil), .unavailable, "502"),
    ])
    func `every failure has its exit code and names its code`(
        kind: NetworkError.Kind, status: ExitStatus, code: String
    ) async throws {
        let run = try await RequestRun(["request", "GET", "/x"], ScriptedRawClient(.failure(kind)))
        #expect(run.status == status)
        #expect(run.output.text.isEmpty)
        #expect(run.errors.lines.count == 1 && run.errors.text.hasPrefix("error: GET /x: "))
        let json = try await RequestRun(["request", "GET", "/x", "--json"], ScriptedRawClient(.failure(kind)))
        #expect(json.status == status)
        #expect(json.output.text.contains(#""error":{"attempts":0,"code":"\#(code)","message":"GET /x: "#))
        #expect(json.errors.text.isEmpty)
    }

    @Test func `a failure has the number of attempts and the reason for the last decision`() async throws {
        let events = [
            NetworkEvent.Kind.attemptFinished(
                .init(number: 1, outcome: "503", decision: "retry in 1 s", duration: .zero)),
            .attemptFinished(
                .init(number: 2, outcome: "503", decision: "attempt 2 was the last", duration: .zero)),
        ].map(NetworkEvent.sample)
        let client = ScriptedRawClient(.answer(503, "", headers: ["retry-after": "7"], events: events))
        let run = try await RequestRun(["request", "GET", "/x"], client)
        #expect(run.status == .tryLater)
        #expect(
            run.errors.text
                == "error: GET /x was answered with 503 after 2 attempts: attempt 2 was the last. It asks to come back "
                + "later: Retry-After: 7.\n")
    }

    @Test(arguments: [("7", ExitStatus.tryLater), ("soon", .unavailable), ("", .unavailable)])
    func `a 503 is exit code 75 only with a Retry-After that can be read`(
        field: String, status: ExitStatus
    ) async throws {
        let client = ScriptedRawClient(.answer(503, "", headers: ["Retry-After": field]))
        #expect(try await RequestRun(["request", "GET", "/x"], client).status == status)
    }

    @Test func `the failure of a write without a key suggests --idempotency-key`() async throws {
        let event = NetworkEvent.sample(
            .attemptFinished(
                .init(
                    number: 1, outcome: "503", decision: "POST without idempotency key could take effect twice",
                    duration: .zero)))
        for step in [
            ScriptedRawClient.Step.answer(503, events: [event]), .failure(.connectionLost("x"), events: [event]),
        ] {
            let run = try await RequestRun(["request", "POST", "/x"], ScriptedRawClient(step))
            #expect(
                run.errors.text.hasSuffix(
                    ". Where the server honours keys, --idempotency-key auto lets it be repeated.\n"))
        }
    }

    @Test func `a body too large for memory suggests -o`() async throws {
        let client = ScriptedRawClient(.failure(.invalidResponse("the body is larger than 5 bytes")))
        let run = try await RequestRun(["request", "GET", "/x"], client)
        #expect(run.errors.text.hasSuffix("the body is larger than 5 bytes. -o FILE takes a body of any size.\n"))
    }

    @Test(arguments: [
        (401, "Log in with '\(ProgramName.current) login', or give a credential with -H."),
        (428, "-H 'If-Match: ETAG'"),
        (412, "newest ETag"), (407, "proxy"),
    ])
    func `a status with a known next step names it`(status: Int, remedy: String) async throws {
        let run = try await RequestRun(["request", "PUT", "/x"], ScriptedRawClient(.answer(status)))
        #expect(run.errors.text.contains(remedy))
    }

    @Test func `a call with --json is one exact document`() async throws {
        let client = ScriptedRawClient(
            .answer(200, "hé", headers: ["Set-Cookie": "a", "set-cookie": "b"], events: NetworkEvent.retried))
        client.origin = OriginState(
            origin: "http://server", circuit: .open, openUntil: Date(timeIntervalSince1970: 60), retryBudget: 9.5)
        let run = try await RequestRun(["request", "get", "/x", "--json"], client)
        #expect(
            run.output.text == """
                {"attempts":[{"decision":"retry in 640 ms","duration_ms":12,"number":1,"outcome":"503"},\
                {"decision":"done","duration_ms":7.5,"number":2,"outcome":"200"}],"body":"hé","duration_ms":0,\
                "headers":[{"name":"Set-Cookie","value":"a"},{"name":"set-cookie","value":"b"}],"method":"GET",\
                "origin":{"circuit":"open","open_until":"1970-01-01T00:01:00.000Z","origin":"http://server",\
                "retry_budget":9.5},"request_id":"r-1","status":200,"url":"http://server/x"}

                """)
    }

    @Test func `a failure with --json is one exact document`() async throws {
        let run = try await RequestRun(
            ["request", "POST", "https://h/x", "--json"], ScriptedRawClient(.failure(.timeout)))
        #expect(
            run.output.text == """
                {"attempts":[],"duration_ms":0,"error":{"attempts":0,"code":"timeout","message":"POST https://h/x: \
                timed out"},"method":"POST","url":"https://h/x"}

                """)
    }

    @Test func `a binary body is Base64 in the document`() async throws {
        let client = ScriptedRawClient(.answer(200, Data([0xFF, 0xFE])))
        let run = try await RequestRun(["request", "GET", "/x", "--json"], client)
        #expect(run.output.text.contains(#""body_base64":"//4=""#))
        #expect(!run.output.text.contains(#""body":"#))
    }

    @Test func `a terminal receives escaped text and no binary`() async throws {
        let text = try await RequestRun(
            ["request", "GET", "/x"], ScriptedRawClient(.answer(200, "a\u{1B}[2J")), width: 80)
        #expect(text.output.text == "a\\x1B[2J\n")
        #expect(text.status == .done)
        let binary = try await RequestRun(
            ["request", "GET", "/x"],
            ScriptedRawClient(.answer(200, Data([0xFF, 0]), headers: ["content-type": "image/png"])), width: 80)
        #expect(binary.output.text.isEmpty)
        #expect(binary.status == .cannotWrite)
        #expect(binary.errors.text.contains("2 bytes of image/png"))
        #expect(binary.errors.text.contains("-o FILE"))
    }

    @Test func `an empty body prints nothing`() async throws {
        let run = try await RequestRun(["request", "DELETE", "/x"], ScriptedRawClient(.answer(204)), width: 80)
        #expect(run.output.text.isEmpty && run.status == .done)
    }

    @Test func `cancelling the command ends the call, with 130`() async throws {
        let gate = Gate()
        let client = ScriptedRawClient(
            .init { _, _ in
                try await gate.wait()
                return RawResponse(head: ResponseHead(status: 200), bytes: Data())
            })
        let run = Task { try await RequestRun(["request", "GET", "/x"], client) }
        run.cancel()
        let ended = try await run.value
        #expect(ended.status == .interrupted)
        #expect(ended.output.text.isEmpty)
    }
}
