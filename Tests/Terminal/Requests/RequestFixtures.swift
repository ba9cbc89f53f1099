import ArgumentParser
import Foundation
import StrataConcurrency
import StrataDomain
import StrataTerminal
import StrataTesting
import Testing

/// The commands of this folder, as the app lists them.
struct RequestRoot: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shiftlog", subcommands: [RequestCommand.self, FetchCommand.self])

    static func parse<Command: ParsableCommand>(_ words: [String], as type: Command.Type) throws -> Command {
        try #require(try parseAsRoot(words) as? Command)
    }
}

/// Runs one command against fakes and records its output.
struct RequestRun {
    let output: MemorySink
    let errors: MemorySink
    var status: ExitStatus
    var settings: RequestSettings?

    init(
        _ words: [String], _ client: any RawClient, downloader: any RawDownloader = ScriptedDownloader(.cancelled),
        width: Int? = nil, input: MemoryInput = MemoryInput(), clock: any Clock<Duration> = ManualClock(),
        around: (@Sendable (any RequestConsoleCommand, RequestTools, Console) async throws -> Void)? = nil
    ) async throws {
        let command = try #require(
            try RequestRoot.parseAsRoot(GlobalOptions.movedToTheEnd(words)) as? any RequestConsoleCommand)
        let (console, output, errors) = Console.inMemory(json: command.options.json, width: width, input: input)
        (self.output, self.errors) = (output, errors)
        let seen = Mutex<RequestSettings?>(nil)
        let keys = Mutex(0)
        let tools = RequestTools(
            makeClient: { settings in
                seen.withLock { $0 = settings }
                return client
            },
            makeDownloader: { settings in
                seen.withLock { $0 = settings }
                return downloader
            },
            shownURL: { $0.hasPrefix("/") ? "http://server\($0)" : $0 },
            curl: { request, options in
                let fields = request.headers.map { "\($0.name)=\($0.value)" }.joined(separator: ",")
                let body = request.body?.bytes.map { String(decoding: $0, as: UTF8.self) }
                return
                    "curl \(request.method.rawValue) \(request.url) \(fields) \(options.idempotencyKey ?? "-") \(body ?? "-")"
            },
            makeKey: {
                keys.withLock { number in
                    number += 1
                    return "key-\(number)"
                }
            }, clock: clock)
        do {
            if let around {
                try await around(command, tools, console)
            } else {
                try await command.run(tools, console)
            }
            status = .done
        } catch {
            status = console.fail(error)
        }
        settings = seen.withLock { $0 }
    }
}

/// The exit code of a command line that must not run.
func usageFailure(_ words: [String]) -> (code: Int32, text: String)? {
    do {
        _ = try RequestRoot.parseAsRoot(words)
        return nil
    } catch {
        return (RequestRoot.exitCode(for: error).rawValue, RequestRoot.fullMessage(for: error))
    }
}

/// A downloader that reports one count and ends with a scripted result.
final class ScriptedDownloader: RawDownloader {
    private let result: Result<DownloadedFile, NetworkError>
    private let seen = Mutex<(RawRequest, DownloadRequest, CallOptions)?>(nil)

    private let kept: DownloadBeginning?

    init(_ file: DownloadedFile) { (result, kept) = (.success(file), nil) }

    init(_ kind: NetworkError.Kind, retryAfter: Duration? = nil, kept: DownloadBeginning? = nil) {
        var error = NetworkError(kind, request: "GET /file")
        error.retryAfter = retryAfter
        (result, self.kept) = (.failure(error), kept)
    }

    var call: (request: RawRequest, download: DownloadRequest, options: CallOptions)? { seen.withLock { $0 } }

    func download(
        _ request: RawRequest, _ download: DownloadRequest, options: CallOptions, events: @escaping EventSink
    ) async throws(NetworkError) -> DownloadedFile {
        seen.withLock { $0 = (request, download, options) }
        download.progress?.report(TransferCount(bytes: 50, total: 200))
        return try result.get()
    }

    func beginning(of path: String) async -> DownloadBeginning? { kept }
}

extension NetworkEvent {
    static func sample(_ kind: Kind) -> NetworkEvent {
        NetworkEvent(requestId: "r-1", request: "GET /x", kind: kind)
    }

    /// A call that got 503, waited and got 200.
    static let retried: [NetworkEvent] = [
        .callStarted, .attemptStarted(1),
        .attemptFinished(.init(number: 1, outcome: "503", decision: "retry in 640 ms", duration: .milliseconds(12))),
        .retryScheduled(afterAttempt: 1, wait: .milliseconds(640), reason: "retry in 640 ms"), .attemptStarted(2),
        .attemptFinished(.init(number: 2, outcome: "200", decision: "done", duration: .microseconds(7500))),
        .callFinished(outcome: "200", duration: .milliseconds(660)),
    ].map(NetworkEvent.sample)
}
