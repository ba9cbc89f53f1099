public import ArgumentParser
import FoundationEssentials
public import StrataDomain
import StrataSystem

/// `request METHOD URL|PATH`.
public struct RequestCommand: RequestConsoleCommand {
    public static let configuration = CommandConfiguration(
        commandName: "request", abstract: "Send an HTTP request with retries, circuit breaker and deadline.",
        discussion: """
            Requests to the server carry the session's token; other origins never receive it. Credentials given with -H \
            are sent to the first origin only. Redirects are followed. The whole call is limited to 30 seconds, or --timeout, which also ends --repeat.

            POST and PATCH to the server carry a generated Idempotency-Key, so that they can be retried. To other origins \
            they are retried only with --idempotency-key, or if certainly nothing was sent.

            The body is printed as it is, whatever the status, up to 64 MiB; on a terminal only text. With -o FILE the \
            body of a success (2xx) goes into the file, whole or not at all; other bodies are printed. -o - streams.

            With --json: {"request_id", "method", "url", "status", "headers": [{"name", "value"}], "body" or \
            "body_base64" or "output", "attempts": [{"number", "outcome", "decision", "duration_ms"}], "duration_ms", \
            "origin", "cache", "trace"}; without a response "error": {"code", "message", "attempts"}.

            With --repeat and --json: {"calls": [{"n", "status" or "error", "attempts", "duration_ms"}], "origin", \
            "summary": {"calls", "ok", "failed", "by_outcome", "attempts", "retries", "p50_ms", "p95_ms", "p99_ms", \
            "max_ms", "duration_ms", "calls_per_second"}}. All calls share breaker and retry budget; bodies are limited \
            to 16 MiB and not printed.

            Responses are cached (RFC 9111), separately for each account. With --cache only-if-cached or --offline \
            nothing is sent: a stored response is served, stale if it may be, or the command exits with 69. A note says \
            when a response is stale; "cache" is in the words of RFC 9211.

            With --curl nothing is sent. The command that is printed has "$TOKEN" in place of the token, and a variable \
            of the shell for every other credential. With --json: {"curl"}.

            Exit codes: 0 below status 400; 64 for a request that cannot be sent; 65 for 400, 409, 412, 422, other 4xx, \
            and unusable responses; 66 for 404 and 410; 69 for 5xx and unreachable; 75 for 408, 425, 429, 503 with \
            Retry-After, and timeouts; 77 for 401, 403 and 407. With --repeat that of the most frequent failure.

            Example: \(ProgramName.current) request GET /v1/me --trace
            """)

    /// The method of the request.
    @Argument(help: "The method, in upper or lower case.")
    public var method: HTTPMethod
    /// What is called, and how.
    @OptionGroup package var call: CallArguments
    /// `--data`: the body, or `@FILE`; `nil` for none.
    @Option(
        name: [.short, .long], parsing: .unconditional,
        help: ArgumentHelp(
            "The body: text, @FILE, or @- for standard input. Sent as JSON if it is JSON of at most 1 MiB, otherwise as bytes.",
            valueName: "data"))
    public var data: String?
    /// `--attempt-timeout`: seconds after which an attempt ends; `nil` for the default.
    @Option(
        help: ArgumentHelp(
            "Time limit of one attempt (default: 10, or the total limit if that is shorter).", valueName: "seconds"))
    public var attemptTimeout: Double?
    /// `--repeat`: how often the call is made.
    @Option(name: .customLong("repeat"), help: ArgumentHelp("Number of requests, 1 to 1000000.", valueName: "n"))
    public var count: Int?
    /// `--concurrency`: how many calls are made at once.
    @Option(help: ArgumentHelp("Concurrent requests with --repeat, 1 to 1000.", valueName: "n"))
    public var concurrency = 1
    /// `--cache`: how the cache is used.
    @Option(
        help:
            "How to use the HTTP cache: serve fresh responses, ask the server and store its response (reload), ask it whether the stored one is current (revalidate), serve also a stale one (stale), send nothing, or bypass the cache."
    )
    public var cache: RequestCache = .default
    /// `--trace`: prints each decision of the client.
    @Flag(help: "Print every decision of the pipeline to standard error, or into the document.")
    public var trace = false
    /// `--output`: the file that the body is written to; `nil` for standard output.
    @Option(
        name: [.short, .long], help: ArgumentHelp("File for the body; - for standard output.", valueName: "file"),
        completion: .file())
    public var output: String?
    /// `--idempotency-key`: by which the server knows a repetition.
    @Option(
        help: ArgumentHelp(
            "Idempotency-Key of the write, which makes it retryable; auto creates one for each request.",
            valueName: "key|auto"))
    public var idempotencyKey: String?
    /// `--hedge-after`: seconds after which a second attempt is sent beside the first; `nil` for none.
    @Option(
        help: ArgumentHelp(
            "Send a hedged request after this time: GET, HEAD, and writes with an idempotency key.",
            valueName: "seconds"))
    public var hedgeAfter: Double?
    /// `--include`: prints the head of the response too.
    @Flag(name: [.short, .long], help: "Print status and header fields before the body.")
    public var include = false
    /// `--curl`: prints the call as a line for curl, and sends nothing.
    @Flag(help: "Print the request as a curl command for a POSIX shell, without credentials, and send nothing.")
    public var curl = false
    @OptionGroup public var options: GlobalOptions

    public init() {}

    /// The URL or the path that is called.
    public var target: String { call.target }

    /// A single call has the limit itself, and tells its attempts.
    public var timeLimit: Duration? { count == nil ? nil : options.deadline }

    public func validate() throws {
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
        if curl, let option = sendingOption {
            throw ValidationError("--curl prints the command and sends nothing. Leave out \(option), or --curl.")
        }
        if let idempotencyKey {
            let isSendable = idempotencyKey.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            guard isSendable, (1...255).contains(idempotencyKey.utf8.count) else {
                throw ValidationError("An idempotency key is 1 to 255 visible ASCII characters, or auto for a new one.")
            }
        }
    }

    /// An option that says how to send the request, or what to do with the response; `nil` without one.
    private var sendingOption: String? {
        let options = [
            ("-o", output != nil), ("-i", include), ("--trace", trace), ("--repeat", count != nil),
            ("--concurrency", concurrency != 1), ("--hedge-after", hedgeAfter != nil),
            ("--attempt-timeout", attemptTimeout != nil), ("--retries", call.retries != nil),
        ]
        return options.first { $0.1 }?.0
    }

    public func run(_ tools: RequestTools, _ console: Console) async throws {
        guard !curl else { return try await printCurl(tools, console) }
        let calls = RequestCall(
            client: try tools.makeClient(settings), request: try await request(console.input),
            options: CallOptions(idempotencyKey: idempotencyKey == "auto" ? nil : idempotencyKey, deadline: .client),
            makeKey: idempotencyKey == "auto" ? tools.makeKey : nil, clock: tools.clock, keepsTrace: trace)
        if let count {
            try await RequestRepetition(command: self, call: calls, count: count, console: console).run()
        } else {
            try await SingleRequest(
                command: self, call: calls, url: tools.shownURL(target), console: console
            ).run()
        }
    }

    private func printCurl(_ tools: RequestTools, _ console: Console) async throws {
        let key = idempotencyKey == "auto" ? tools.makeKey() : idempotencyKey
        let command = try tools.curl(try await request(console.input), CallOptions(idempotencyKey: key))
        guard !console.isJSON else { return try console.json(["curl": command] as JSONDocument) }
        console.out(command)
    }

    private var settings: RequestSettings {
        var settings = RequestSettings()
        settings.deadline = options.deadline
        settings.attemptTimeout = attemptTimeout.map { .seconds($0) }
        settings.retries = call.retries
        settings.hedgeAfter = hedgeAfter.map { .seconds($0) }
        settings.concurrency = min(concurrency, count ?? 1)
        settings.cache = cache
        return settings
    }

    private func request(_ input: any ConsoleInput) async throws -> RawRequest {
        var fields = try RequestArguments.headers(call.headers)
        if let directive = cache.directive, fields["Cache-Control"] == nil { fields.add("Cache-Control", directive) }
        let body: UploadBody? =
            if let data {
                try await RequestData(argument: data, input: input).body(mayRepeat: count ?? 1 > 1)
            } else { nil }
        return RawRequest(method, target, headers: fields, body: body)
    }
}
