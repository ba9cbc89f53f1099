public import ArgumentParser
import FoundationEssentials
public import StrataDomain

/// `request METHOD URL|PATH`.
public struct RequestCommand: RequestConsoleCommand {
    public static let configuration = CommandConfiguration(
        commandName: "request", abstract: "Send an HTTP request with retries, circuit breaker and deadline.",
        discussion: """
            Requests to the server, by path or absolute URL, carry the session's token; other origins never receive it. \
            Fields given with -H are sent unchanged; credentials among them are sent to the first origin only.

            POST and PATCH to the server carry a generated Idempotency-Key and can be retried. To other origins they are \
            retried only with --idempotency-key, or if provably nothing was sent.

            The body is printed as it came, whatever the status, up to 64 MiB (16 MiB with --repeat, which prints none); \
            a terminal gets text only, with control characters made visible. With -o FILE the body of a success (2xx) \
            goes into the file as it arrives, whole or not at all; any other answer leaves FILE alone and is printed. -o - streams to standard output.

            With --json the output is one object: {"request_id", "method", "url", "status", "headers": [{"name", \
            "value"}], "body" or "body_base64" or "output", "attempts": [{"number", "outcome", "decision", \
            "duration_ms"}], "duration_ms", "origin": {"circuit", "retry_budget", …}}, and "trace" with --trace; without \
            an answer "error": {"code", "message", "attempts"} in place of the status.

            With --repeat and --json it is {"calls": [{"n", "status" or "error", "attempts", "duration_ms"}], "origin", \
            "summary": {"calls", "ok", "failed", "by_outcome", "attempts", "retries", "p50_ms", "p95_ms", "p99_ms", \
            "max_ms", "duration_ms", "calls_per_second"}}, a call as soon as it ends. All calls share breaker and retry \
            budget.

            Answers are kept as HTTP says (RFC 9111), apart for each account, and serve later requests; --cache says \
            otherwise for one command. With --cache only-if-cached, or --offline, nothing is sent: what is stored answers, a \
            stale answer too unless it must be validated, else the command ends with 69. A note says when an answer is \
            stale. --trace shows what the cache did, and "cache" in the document: {"cache", "hit", "fwd", "fwd_status", \
            "ttl", "stored", "collapsed", "detail", "tier", "key"}, in the words of RFC 9211.

            Redirects are followed. A timeout of 30 seconds bounds the whole call unless --timeout gives another.

            Exit codes: 0 below status 400; 64 for a request that cannot be sent; 65 for 400, 409, 412, 422 and other \
            4xx, and for an answer that is not usable; 66 for 404 and 410; 69 for 5xx and unreachable; 75 for 408, 425, \
            429, 503 with Retry-After, and timeouts; 77 for 401, 403 and 407. With --repeat: 0 when every call succeeded, else that of the most \
            frequent failure.

            Example: \(ProgramName.current) request GET /v1/runbooks --trace
            """)

    @Argument(help: "The method, in upper or lower case.")
    public var method: HTTPMethod
    @Argument(help: ArgumentHelp("An absolute URL, or a path of the server.", valueName: "url|path"))
    public var target: String
    @Option(
        name: [.customShort("H"), .customLong("header")],
        help: ArgumentHelp("A header field, 'Name: value'; repeatable.", valueName: "field"))
    public var headers: [String] = []
    @Option(
        name: [.short, .long], parsing: .unconditional,
        help: ArgumentHelp(
            "The body: text, @FILE, or @- for standard input. Sent as JSON if it is JSON of at most 1 MiB, otherwise as bytes.",
            valueName: "data"))
    public var data: String?
    @Option(help: ArgumentHelp("Retries after the first attempt, 0 to 19 (default: 2).", valueName: "n"))
    public var retries: Int?
    @Option(
        help: ArgumentHelp(
            "Time limit of one attempt (default: 10, or the total limit if that is shorter).", valueName: "seconds"))
    public var attemptTimeout: Double?
    @Option(name: .customLong("repeat"), help: ArgumentHelp("Number of requests, 1 to 1000000.", valueName: "n"))
    public var count: Int?
    @Option(help: ArgumentHelp("Concurrent requests with --repeat, 1 to 1000.", valueName: "n"))
    public var concurrency = 1
    @Option(
        help:
            "How to use the HTTP cache: serve fresh responses, ask the server and store its response (reload), send nothing, or bypass the cache."
    )
    public var cache: RequestCache = .default
    @Flag(help: "Print every decision of the pipeline to standard error, or into the document.")
    public var trace = false
    @Option(
        name: [.short, .long], help: ArgumentHelp("File for the body; - for standard output.", valueName: "file"),
        completion: .file())
    public var output: String?
    @Option(
        help: ArgumentHelp(
            "Idempotency-Key of the write, which makes it retryable; auto creates one for each request.",
            valueName: "key|auto"))
    public var idempotencyKey: String?
    @Option(
        help: ArgumentHelp(
            "Send a hedged request after this time: GET, HEAD, and writes with an idempotency key.",
            valueName: "seconds"))
    public var hedgeAfter: Double?
    @Flag(name: [.short, .long], help: "Print status and header fields before the body.")
    public var include = false
    @OptionGroup public var options: GlobalOptions

    public init() {}

    public func validate() throws {
        try RequestArguments.check(target: target)
        _ = try RequestArguments.headers(headers)
        try RequestArguments.check(retries, "--retries", in: 0...19)
        try RequestArguments.check(count, "--repeat", in: 1...1_000_000)
        try RequestArguments.check(concurrency, "--concurrency", in: 1...1000)
        try RequestArguments.check(seconds: attemptTimeout, "--attempt-timeout")
        try RequestArguments.check(seconds: hedgeAfter, "--hedge-after")
        if data != nil, [.get, .head].contains(method) {
            throw ValidationError(
                "A \(method.rawValue) carries no body. Use POST, or put the values into the query of the URL.")
        }
        if count != nil, output != nil || include {
            throw ValidationError("--repeat prints outcomes, no bodies. Leave out -o and -i, or --repeat.")
        }
        if options.json, output == "-" {
            throw ValidationError("--json prints one document with the body in it. Leave out '-o -', or --json.")
        }
        if let idempotencyKey {
            let isSendable = idempotencyKey.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            guard isSendable, (1...255).contains(idempotencyKey.utf8.count) else {
                throw ValidationError("An idempotency key is 1 to 255 visible ASCII characters, or auto for a new one.")
            }
        }
    }

    public func run(_ tools: RequestTools, _ console: Console) async throws {
        let call = RequestCall(
            client: try tools.makeClient(settings), request: try await request(console.input),
            options: CallOptions(idempotencyKey: idempotencyKey == "auto" ? nil : idempotencyKey),
            makeKey: idempotencyKey == "auto" ? tools.makeKey : nil, clock: tools.clock, keepsTrace: trace)
        if let count {
            try await RequestRepetition(command: self, call: call, count: count, console: console).run()
        } else {
            try await SingleRequest(
                command: self, call: call, url: tools.shownURL(target), console: console
            ).run()
        }
    }

    private var settings: RequestSettings {
        var settings = RequestSettings()
        settings.deadline = options.deadline
        settings.attemptTimeout = attemptTimeout.map { .seconds($0) }
        settings.retries = retries
        settings.hedgeAfter = hedgeAfter.map { .seconds($0) }
        settings.concurrency = min(concurrency, count ?? 1)
        settings.cache = cache
        return settings
    }

    private func request(_ input: any ConsoleInput) async throws -> RawRequest {
        var fields = try RequestArguments.headers(headers)
        if let directive = cache.directive, fields["Cache-Control"] == nil { fields.add("Cache-Control", directive) }
        let body: UploadBody? =
            if let data {
                try await RequestData(argument: data, input: input).body(mayRepeat: count ?? 1 > 1)
            } else { nil }
        return RawRequest(method, target, headers: fields, body: body)
    }
}
