import Foundation
import StrataDomain
import StrataNetworking
import StrataSystem
import StrataTesting
import Testing

/// Commands that a real shell runs, with a `curl` of the test.
struct CurlTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        // Each argument ends with NUL, which no argument holds.
        let script = "#!/bin/sh\nprintf '%s\\0' \"$@\" >\"$0.arguments\"\ncat >\"$0.input\"\n"
        try directory.write("curl", Data(script.utf8))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory.file("curl"))
    }

    /// What curl gets from a command.
    private func run(_ command: String, _ variables: [String: String] = [:]) async throws -> [String] {
        let environment = ["PATH": "\(directory.path):/usr/bin:/bin"].merging(variables) { $1 }
        let output = try await Program(path: "/bin/sh", environment: environment).run(
            ["-c", command], within: .seconds(60))
        #expect(output.status == 0, "\(String(decoding: output.standardError, as: UTF8.self))")
        let text = String(decoding: try #require(directory.content("curl.arguments")), as: UTF8.self)
        return text.split(separator: "\0", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    /// The values of an option, in order.
    private func values(_ option: String, _ arguments: [String]) -> [String] {
        zip(arguments, arguments.dropFirst()).filter { $0.0 == option }.map(\.1)
    }

    private func command(_ request: RawRequest, auth: AuthStyle = .none, showingSecrets: Bool = false) throws -> String
    {
        try Bench(auth: auth).client.curl(for: request, showingSecrets: showingSecrets)
    }

    // MARK: - Texts

    @Test(arguments: [
        "plain", "it's", "'", "'''", "$(touch /tmp/x)`id`$HOME", #"a\'b\\"#, "'\u{301}'", "\"; exit 7; #", "-X",
        "ä 語 🙂",
        "!!", "a\nb", "*?[a-z]{1,2}~", "&& false", " ",
    ])
    func `the shell hands a hostile text to curl as it is`(text: String) async throws {
        let url = "http://tides.test/a'b;$(id)`id`?q=\(PercentEncoding.encode(text))&r=';exit"
        let line = text.replacing("\n", with: " ")
        let arguments = try await run(
            try command(
                RawRequest(
                    .post, url, headers: ["X-Text": "<\(line)>"],
                    body: .bytes(Data(text.utf8), contentType: "text/plain"))))
        #expect(arguments.last == url)
        #expect(values("--request", arguments) == ["POST"])
        #expect(values("--header", arguments).contains("X-Text: <\(line)>"))
        #expect(values("--header", arguments).contains("Content-Type: text/plain"))
        #expect(values("--data-binary", arguments) == [text])
    }

    @Test func `an endpoint is shown with base URL and fields, and nothing is sent`() async throws {
        let bench = try Bench(base: "http://tides.test/api")
        let arguments = try await run(try bench.client.curl(for: AddTide()))
        #expect(arguments.last == "http://tides.test/api/v1/tides")
        #expect(values("--data-binary", arguments) == [tideBody])
        #expect(values("--header", arguments).contains("Content-Type: application/json"))
        #expect(bench.transport.requests.isEmpty)
    }

    private let tideBody = #"{"metres":4.2,"name":"bar"}"#

    @Test func `a body that begins with an at sign is no name of a file`() async throws {
        let arguments = try await run(
            try command(RawRequest(.post, "/x", body: .bytes(Data("@/etc/passwd".utf8), contentType: "text/plain"))))
        #expect(values("--data-raw", arguments) == ["@/etc/passwd"])
        #expect(values("--data-binary", arguments).isEmpty)
    }

    @Test(arguments: [Data((0...255).map { UInt8($0) } + Array("7%s\\n".utf8)), Data("a\u{1B}[2J".utf8), Data([0])])
    func `other bytes come from printf`(body: Data) async throws {
        let command = try command(RawRequest(.put, "/x", body: .bytes(body)))
        #expect(command.unicodeScalars.allSatisfy { (0x20...0x7E).contains($0.value) })
        let arguments = try await run(command)
        #expect(values("--data-binary", arguments) == ["@-"])
        #expect(directory.content("curl.input") == body)
        // Without it curl says that the body is a form.
        #expect(values("--header", arguments).contains("Content-Type:"))
    }

    @Test func `a large body and a stream come from a file`() async throws {
        let large = try command(RawRequest(.post, "/x", body: .bytes(Data(repeating: 0x61, count: 65_537))))
        #expect(large.hasPrefix("# Put the body, 65537 bytes, into the file 'body'.\ncurl "))
        #expect(values("--data-binary", try await run(large)) == ["@body"])
        let stream = try command(
            RawRequest(
                .post, "/x",
                body: .stream(length: nil, isReplayable: false) {
                    Issue.record("the body was opened")
                    return ResponseBody()
                }))
        #expect(stream.hasPrefix("# Put the body into the file 'body'.\ncurl "))
    }

    @Test func `what curl would do on its own is prevented`() async throws {
        let head = try await run(try command(RawRequest(.head, "/x")))
        #expect(head.first == "--head" && values("--request", head).isEmpty)
        let odd = try await run(
            try command(RawRequest(.get, "http://tides.test/a/../b/{c}?d[]=1", headers: ["X-Empty": ""])))
        #expect(odd.contains("--globoff") && odd.contains("--path-as-is"))
        #expect(values("--header", odd).contains("X-Empty;"))
        let plain = try await run(try command(RawRequest(.get, "/x")))
        #expect(!plain.contains("--globoff") && !plain.contains("--path-as-is"))
        #expect(!plain.contains { $0.hasPrefix("--data") })
    }

    // MARK: - Credentials

    @Test func `variables of the shell stand for credentials`() async throws {
        let request = RawRequest(
            .get, "/x?page=2&api_key=CANARY-1&b=3", headers: ["X-Api-Key": "CANARY-2", "Cookie": "sid=CANARY-3"])
        let command = try command(request, auth: .token(Secret("CANARY-4")))
        #expect(!command.contains("CANARY"))
        let hostile = "to'k \"$(id)\""
        let arguments = try await run(
            command, ["TOKEN": hostile, "API_KEY": "k1", "X_API_KEY": "k2", "COOKIE": "sid=k3"])
        let fields = values("--header", arguments)
        #expect(fields.contains("Authorization: Bearer \(hostile)"))
        #expect(fields.contains("X-Api-Key: k2") && fields.contains("Cookie: sid=k3"))
        #expect(arguments.last == "http://tides.test/x?page=2&api_key=k1&b=3")
    }

    @Test func `the owner of the secrets can see them`() async throws {
        let command = try command(
            RawRequest(.get, "/x", headers: ["Cookie": "sid=s1"]), auth: .apiKey(Secret("k'1"), in: .query("key")),
            showingSecrets: true)
        let arguments = try await run(command)
        #expect(arguments.last == "http://tides.test/x?key=k%271")
        #expect(values("--header", arguments).contains("Cookie: sid=s1"))
    }

    @Test func `a variable that the shell sets itself is not used`() throws {
        #expect(try command(RawRequest(.get, "/x?pwd=CANARY")).hasSuffix(#"'http://tides.test/x?pwd='"$PWD_VALUE""#))
    }

    @Test(arguments: [true, false])
    func `a token that is not at hand stands as a variable`(showsSecrets: Bool) async throws {
        let tokens = FakeTokens("later")
        let command = try command(RawRequest(.get, "/x"), auth: .bearer(tokens), showingSecrets: showsSecrets)
        #expect(command.contains(#"'Authorization: Bearer '"$TOKEN""#))
        #expect(await tokens.asked == 0)
    }

    @Test func `a token at hand is shown only if it is asked for`() throws {
        let auth = AuthStyle.bearer(FakeTokens(atHand: "CANARY"))
        #expect(try !command(RawRequest(.get, "/x"), auth: auth).contains("CANARY"))
        #expect(
            try command(RawRequest(.get, "/x"), auth: auth, showingSecrets: true).contains(
                "'Authorization: Bearer CANARY'"))
    }

    @Test func `another origin gets no credential`() throws {
        let command = try command(RawRequest(.get, "http://other.test/x"), auth: .token(Secret("CANARY")))
        #expect(!command.contains("TOKEN") && !command.contains("CANARY"))
    }

    @Test func `secrets in a body are masked`() async throws {
        let body = #"{"user":"ada","password":"CANARY-1","note":"CANARY-1 again"}"#
        let command = try command(
            RawRequest(.post, "/x", body: .bytes(Data(body.utf8), contentType: MediaType.json)))
        let arguments = try await run(command)
        #expect(
            values("--data-binary", arguments)
                == [#"{"user":"ada","password":"<redacted>","note":"<redacted> again"}"#])
    }

    @Test func `a request on its way is shown as it is sent`() async throws {
        let seen = Shared("")
        let transport = ScriptedTransport(
            .init { request in
                seen.change { $0 = request.curl }
                return ClientResponse(ResponseHead(status: 204))
            })
        let client = try HTTPAPIClient(
            baseURL: HTTPURL("http://tides.test"), transport: transport, auth: .token(Secret("CANARY")),
            resilience: Resilience(clock: ManualClock()))
        _ = try await client.send(RemoveTide())
        let arguments = try await run(seen.value, ["TOKEN": "t"])
        #expect(values("--request", arguments) == ["DELETE"])
        #expect(values("--header", arguments).contains("Authorization: Bearer t"))
        // curl would print what it cannot read.
        #expect(!values("--header", arguments).contains { $0.hasPrefix("Accept-Encoding") })
    }
}
