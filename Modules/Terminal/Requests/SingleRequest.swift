import FoundationEssentials
import StrataConcurrency
import StrataDomain

/// Makes one call and prints its response.
struct SingleRequest {
    let command: RequestCommand
    let call: RequestCall
    /// The URL with secrets masked.
    let url: String
    let console: Console

    func run() async throws {
        let file = try file()
        let written = Mutex(0)
        let (outcome, body) = try await traced { follow in
            guard command.output != nil else { return await call.collect(following: follow) }
            return await call.stream(following: follow) { head in
                if file == nil { printHead(head) }
            } write: { chunk in
                if let file { try file.write(chunk) } else { console.output.write(chunk) }
                written.withLock { $0 += chunk.count }
            }
        }
        let isWritten = command.output != nil && outcome.hasContent
        if isWritten, let file { try commit(file) }
        let origin = call.client.state(of: command.target)
        guard !console.isJSON else {
            return try printDocument(outcome, body, isWritten ? written.withLock { $0 } : nil, origin)
        }
        if command.trace, let origin { console.note(origin.text) }
        try printAnswer(outcome, body, isWritten: isWritten)
    }

    /// - Returns: `nil` without `--output`.
    private func file() throws -> OutputFile? {
        guard let path = command.output, path != "-" else { return nil }
        do { return try OutputFile(path) } catch { throw CommandFailure(.cannotWrite, error.description) }
    }

    private func commit(_ file: OutputFile) throws {
        do { try file.commit() } catch { throw CommandFailure(.cannotWrite, error.description) }
    }

    /// Runs `body`; with `--trace` each event is printed at once.
    private func traced<Answer: Sendable>(
        _ body: ((@Sendable (TraceEntry) -> Void)?) async throws -> Answer
    ) async throws -> Answer {
        guard command.trace, !console.isJSON else { return try await body(nil) }
        // One call has a bounded number of events.
        let (entries, continuation) = AsyncStream.makeStream(of: TraceEntry.self)
        async let printed: Void = {
            for await entry in entries { console.note(entry.text) }
        }()
        defer { continuation.finish() }
        let answer = try await body { continuation.yield($0) }
        continuation.finish()
        await printed
        return answer
    }

    private func printDocument(
        _ outcome: CallOutcome, _ body: Data, _ written: Int?, _ origin: OriginState?
    ) throws {
        let output = command.output.flatMap { path in written.map { (path: path, size: $0) } }
        try console.json(
            outcome.document(
                method: command.method, url: url, body: body, written: output, isTraced: command.trace, origin: origin))
        if outcome.exitStatus != .done { throw CommandFailure(outcome.exitStatus) }
    }

    private func printAnswer(_ outcome: CallOutcome, _ body: Data, isWritten: Bool) throws {
        switch outcome.result {
        case .failure(let error): throw CommandFailure(outcome.exitStatus, FailureSentence(outcome, error).text)
        case .success(let head):
            let isHeadPrinted = isWritten && command.output == "-"
            if !isHeadPrinted { printHead(head) }
            let isShown = printBody(body)
            if let note = outcome.cache?.staleNote { console.note(note) }
            guard outcome.exitStatus == .done else {
                throw CommandFailure(outcome.exitStatus, FailureSentence(outcome, head).text)
            }
            guard isShown else {
                throw CommandFailure(
                    .cannotWrite,
                    "The body, \(body.count) bytes of \(head.headers["Content-Type"] ?? "unknown type"), is no text and "
                        + "is not shown on a terminal. Use -o FILE, or a pipe.")
            }
        }
    }

    private func printHead(_ head: ResponseHead) {
        guard command.include else { return }
        console.out(Text("HTTP \(head.status)", .bold))
        for field in head.headers {
            console.out(Text(field.name, .dim) + Text(": \(SafeText.oneLine(field.value))"))
        }
        console.out("")
    }

    /// - Returns: Whether the body may be printed to this output.
    private func printBody(_ body: Data) -> Bool {
        guard console.isInteractive, !body.isEmpty else {
            console.output.write(body)
            return true
        }
        guard let text = String(validating: body, as: UTF8.self), !body.contains(0) else { return false }
        console.document(SafeText.escaped(text))
        return true
    }
}
