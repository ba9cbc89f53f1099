import ArgumentParser
import StrataDomain
import StrataTerminal
import StrataTesting
import Testing

struct RequestParsingTests {
    @Test(arguments: [("get", HTTPMethod.get), ("Patch", .patch), ("DELETE", .delete), ("hEAD", .head)])
    func `a method is read in any case`(word: String, method: HTTPMethod) throws {
        #expect(try RequestRoot.parse(["request", word, "/x"], as: RequestCommand.self).method == method)
    }

    @Test(arguments: ["/", "/v1/me?x=1", "http://h", "HTTPS://h/p?q#f", "https://[::1]:8080/"])
    func `a path and an absolute URL are targets`(target: String) throws {
        #expect(try RequestRoot.parse(["request", "GET", target], as: RequestCommand.self).target == target)
    }

    @Test(arguments: [
        (["example.com/x"], "'example.com/x' has no scheme. Write http://example.com/x or https://example.com/x"),
        (["v1/me"], "a path of the server begins with '/'"), (["ftp://h/x"], "Only http:// and https://"),
        (["//host/x"], "The URL has no scheme."), ([""], "The URL has no scheme."),
        (["/x", "-H", "NoColon"], "Header 'NoColon' has no colon. Write -H 'Name: value'."),
        (["/x", "-H", ": v"], "is no header name"), (["/x", "-H", "a b: c"], "'a b' is no header name"),
        (["/x", "-H", "X-A: one\r\nX-B: two"], "The value of header 'X-A' has a line break"),
        (["/x", "-H", "X-A: \u{7F}"], "control character"), (["/x", "-d", "text"], "A GET carries no body."),
        (["/x", "--retries=-1"], "--retries must be 0 to 19; it is -1."), (["/x", "--retries", "20"], "it is 20."),
        (["/x", "--retries", "many"], "many"), (["/x", "--repeat", "0"], "--repeat must be 1 to 1000000; it is 0."),
        (["/x", "--repeat", "1000001"], "it is 1000001."),
        (["/x", "--concurrency", "0"], "--concurrency must be 1 to 1000; it is 0."),
        (["/x", "--concurrency", "1001"], "it is 1001."), (["/x", "--attempt-timeout", "0"], "more than 0"),
        (["/x", "--attempt-timeout", "nan"], "more than 0"), (["/x", "--attempt-timeout", "inf"], "at most 86400"),
        (["/x", "--hedge-after=-2"], "--hedge-after must be more than 0"), (["/x", "--cache", "never"], "never"),
        (["/x", "--repeat", "2", "-o", "f"], "--repeat prints outcomes"),
        (["/x", "--repeat", "2", "-i"], "--repeat prints outcomes"),
        (["/x", "--json", "-o", "-"], "--json prints one"),
        (["/x", "--curl", "-o", "f"], "Leave out -o, or --curl."),
        (["/x", "--curl", "-i"], "Leave out -i, or --curl."),
        (["/x", "--curl", "--trace"], "Leave out --trace, or --curl."),
        (["/x", "--curl", "--repeat", "2"], "Leave out --repeat, or --curl."),
        (["/x", "--curl", "--concurrency", "2"], "Leave out --concurrency, or --curl."),
        (["/x", "--curl", "--hedge-after", "1"], "Leave out --hedge-after, or --curl."),
        (["/x", "--curl", "--attempt-timeout", "1"], "Leave out --attempt-timeout, or --curl."),
        (["/x", "--curl", "--retries", "1"], "Leave out --retries, or --curl."),
        (["/x", "--idempotency-key", ""], "1 to 255 visible ASCII"),
        (["/x", "--idempotency-key", "a\nb"], "1 to 255 visible ASCII"), (["/x", "/y"], "Unexpected argument"),
        (["/x", "--timeout", "0"], "--timeout must be more than 0"),
    ])
    func `an impossible request is a usage error that says why`(words: [String], text: String) throws {
        let failure = try #require(usageFailure(["request", "GET"] + words))
        #expect(failure.code == ExitStatus.usage.rawValue)
        #expect(failure.text.contains(text), "\(failure.text)")
    }

    @Test(arguments: [
        ["request", "GET", "host/x?token=s3cret@"], ["request", "GET", "user:s3cret@host/x"],
        ["request", "GET", "/x", "-H", "Authorization Bearer s3cret"],
        ["request", "GET", "/x", "-H", "Authorization: s3cret\n"],
    ])
    func `a usage error shows no credential`(words: [String]) throws {
        let failure = try #require(usageFailure(words))
        #expect(!failure.text.contains("s3cret"), "\(failure.text)")
    }

    @Test(arguments: ["OPTIONS", "GE T", ""])
    func `an unknown method is a usage error`(word: String) {
        #expect(usageFailure(["request", word, "/x"])?.code == ExitStatus.usage.rawValue)
    }

    @Test(arguments: ["--retries", "-H", "-d", "-o"])
    func `an option without its value is a usage error`(option: String) {
        #expect(usageFailure(["request", "POST", "/x", option])?.code == ExitStatus.usage.rawValue)
    }

    @Test func `the options reach the client`() async throws {
        let words = [
            "--timeout", "9", "request", "GET", "/x", "--retries", "0", "--attempt-timeout", "1.5", "--hedge-after",
            "0.2",
            "--repeat", "2", "--concurrency", "50", "--cache", "reload", "--json",
        ]
        let client = ScriptedRawClient(.answer(200))
        let run = try await RequestRun(words, client)
        var expected = RequestSettings()
        (expected.deadline, expected.attemptTimeout) = (.seconds(9), .milliseconds(1500))
        (expected.retries, expected.hedgeAfter, expected.cache) = (0, .milliseconds(200), .reload)
        // More concurrent calls than calls in total would open unused connections.
        expected.concurrency = 2
        #expect(run.settings == expected)
        #expect(client.calls[0].request.headers["Cache-Control"] == "no-cache")
    }

    @Test func `an option that is not given keeps the default of the client`() async throws {
        let client = ScriptedRawClient(.answer(200))
        let run = try await RequestRun(["request", "GET", "/x"], client)
        #expect(run.settings == RequestSettings())
        #expect(client.calls[0].request.headers == [:])
        #expect(client.calls[0].request.body == nil)
        #expect(client.calls[0].options == CallOptions(deadline: .client))
    }

    @Test(arguments: [
        ("default", nil), ("reload", "no-cache"), ("revalidate", "max-age=0"), ("stale", "max-stale"),
        ("only-if-cached", "only-if-cached"), ("no-store", "no-store"),
    ])
    func `the cache mode is sent as a cache directive`(mode: String, directive: String?) async throws {
        let client = ScriptedRawClient(.answer(200))
        _ = try await RequestRun(["request", "GET", "/x", "--cache", mode], client)
        #expect(client.calls[0].request.headers["Cache-Control"] == directive)
    }

    @Test func `header fields are sent in order, repeated ones kept, a directive of the caller wins`() async throws {
        let client = ScriptedRawClient(.answer(200))
        let words = ["-H", "A: 1", "-H", "a:2", "-H", "B:", "-H", "cache-control:  max-age=1", "--cache", "reload"]
        _ = try await RequestRun(["request", "GET", "/x"] + words, client)
        #expect(
            client.calls[0].request.headers.map { "\($0.name)=\($0.value)" } == [
                "A=1", "a=2", "B=", "cache-control=max-age=1",
            ])
    }

    @Test func `a key names the write, auto makes a new one for each call`() async throws {
        let fixed = ScriptedRawClient(.answer(200))
        _ = try await RequestRun(["request", "POST", "/x", "--idempotency-key", "k", "--repeat", "2"], fixed)
        #expect(fixed.calls.map(\.options.idempotencyKey) == ["k", "k"])
        let fresh = ScriptedRawClient(.answer(200))
        _ = try await RequestRun(["request", "POST", "/x", "--idempotency-key", "auto", "--repeat", "2"], fresh)
        #expect(fresh.calls.map(\.options.idempotencyKey) == ["key-1", "key-2"])
    }
}
