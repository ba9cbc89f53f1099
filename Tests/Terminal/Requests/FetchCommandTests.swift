import Foundation
import StrataDomain
import StrataTesting
import Testing

@testable import StrataTerminal

struct FetchCommandTests {
    private static let hex = String(repeating: "ab", count: 32)
    private static let digest = ContentDigest(.sha256, Data(repeating: 0xAB, count: 32))

    private func file(resumedFrom: Int64 = 0, isVerified: Bool = true) throws -> DownloadedFile {
        DownloadedFile(
            path: "f", bytes: 200, digest: try #require(Self.digest), resumedFrom: resumedFrom, isVerified: isVerified)
    }

    private func run(_ words: [String], _ downloader: ScriptedDownloader, width: Int? = nil) async throws -> RequestRun
    {
        try await RequestRun(["fetch"] + words, ScriptedRawClient(), downloader: downloader, width: width)
    }

    @Test func `a download prints path, size and digest, and whether the digest was compared`() async throws {
        let fresh = try await run(["/f", "-o", "f"], ScriptedDownloader(try file()))
        #expect(fresh.output.text == "f  200 bytes  sha-256=\(Self.hex)\n")
        #expect(fresh.errors.text.isEmpty && fresh.status == .done)
        let resumed = try await run(
            ["/f", "-o", "f"], ScriptedDownloader(try file(resumedFrom: 50, isVerified: false)))
        #expect(
            resumed.errors.lines == [
                "went on behind 50 bytes of an earlier run", "no digest was stated to compare with; --digest gives one",
            ])
    }

    @Test func `a download with --json is one exact document`() async throws {
        let run = try await run(["/f", "-o", "f", "--json"], ScriptedDownloader(try file(resumedFrom: 50)))
        #expect(
            run.output.text
                == #"{"digest":"sha-256=\#(Self.hex)","path":"f","resumed_from":50,"size":200,"verified":true}"# + "\n"
        )
    }

    @Test(arguments: [101, 300, 302, 304])
    func `an answer without content is no success`(status: Int) async throws {
        let run = try await run(["/f", "-o", "f"], ScriptedDownloader(.status(status, nil)))
        #expect(run.status == .rejected)
        #expect(
            run.errors.text.contains("Status \(status). It is no content, so nothing was written. Check the address"))
    }

    @Test func `every option reaches the downloader`() async throws {
        let downloader = ScriptedDownloader(try file())
        let run = try await run(
            ["https://h/f?a=1", "-o", "out", "-H", "A: 1", "--retries", "5", "--digest", "sha-256=\(Self.hex)"],
            downloader)
        let call = try #require(downloader.call)
        #expect(call.request.url == "https://h/f?a=1" && call.request.method == .get)
        #expect(call.request.headers["A"] == "1")
        #expect(call.download.path == "out" && call.download.digest == Self.digest)
        #expect(run.settings?.retries == 5)
        // A download has no time limit by default.
        #expect(call.options.deadline == .seconds(24 * 3600))
    }

    @Test func `a timeout bounds the download`() async throws {
        let downloader = ScriptedDownloader(try file())
        _ = try await run(["/f", "-o", "out", "--timeout", "5"], downloader)
        #expect(downloader.call?.options.deadline == .seconds(5))
    }

    @Test(arguments: [
        (NetworkError.Kind.invalidResponse("the digest differs"), ExitStatus.rejected),
        (.notFound(nil), .notFound), (.status(410, nil), .notFound), (.status(416, nil), .rejected),
        (.forbidden(nil), .noPermission), (.offline("x"), .unavailable), (.connectionLost("x"), .unavailable),
        (.server(500, nil), .unavailable), (.server(503, nil), .unavailable), (.timeout, .tryLater),
        (.storage("x"), .cannotWrite),
        (.cancelled, .interrupted), (.rateLimited(retryAfter: nil), .tryLater), (.conflict(nil), .rejected),
    ])
    func `every failure ends with its code`(kind: NetworkError.Kind, status: ExitStatus) async throws {
        let people = try await run(["/f", "-o", "f"], ScriptedDownloader(kind))
        #expect(people.status == status && people.output.text.isEmpty)
        #expect(people.errors.text.hasPrefix("error: ") && !people.errors.text.contains("GET"))
        let programs = try await run(["/f", "-o", "f", "--json"], ScriptedDownloader(kind))
        #expect(programs.status == status)
        #expect(programs.errors.text.hasPrefix(#"{"error":{"code":"#))
    }

    @Test(arguments: [
        (NetworkError.Kind.timeout, "error: Timed out. --timeout gives it more time."),
        (.server(503, nil), "error: Server error 503. Try again later."), (.cancelled, "error: Cancelled."),
        (
            .offline("connection refused"),
            "error: No connection: connection refused. Check the address and the network."
        ),
        (.connectionLost("reset"), "error: The connection was lost: reset. Check the address and the network."),
    ])
    func `a failed download names the next step and the kept bytes`(kind: NetworkError.Kind, text: String) async throws
    {
        let kept = DownloadBeginning(path: "/d/f.part", bytes: 50)
        let resumable = try await run(["/f", "-o", "f"], ScriptedDownloader(kind, kept: kept))
        #expect(
            resumable.errors.lines == [text + " 50 bytes are kept in '/d/f.part'; the same command goes on there."])
        let other = try await run(["/f", "-o", "f"], ScriptedDownloader(kind))
        #expect(
            other.errors.lines == [text + " Nothing is kept, as the server names no version (ETag) to go on with."])
    }

    @Test func `Retry-After is exit code 75`() async throws {
        let run = try await run(["/f", "-o", "f"], ScriptedDownloader(.server(503, nil), retryAfter: .seconds(7)))
        #expect(run.status == .tryLater)
        #expect(run.errors.text.contains("Server error 503. It asks to come back in 7 s."))
    }

    @Test func `a limit reaches the downloader, and is named where it was met`() async throws {
        let downloader = ScriptedDownloader(.invalidResponse("it has more than the 9 bytes that were allowed"))
        let run = try await run(["/f", "-o", "f", "--max-bytes", "9"], downloader)
        #expect(downloader.call?.download.limit == 9 && run.status == .rejected)
        #expect(run.errors.text.hasSuffix("than the 9 bytes that were allowed. --max-bytes allows more.\n"))
        #expect(
            usageFailure(["fetch", "/f", "-o", "f", "--max-bytes", "0"])?.text.contains("--max-bytes must be") == true)
    }

    @Test func `a directory is no destination`() async throws {
        let directory = try TemporaryDirectory()
        let downloader = ScriptedDownloader(try file())
        let run = try await run(["/f", "-o", directory.path], downloader)
        #expect(run.status == .cannotWrite)
        #expect(run.errors.text.contains("'\(directory.path)' is a directory. Name a file in it with -o."))
        #expect(downloader.call == nil)
    }

    @Test func `a terminal has a progress bar, which is removed at the end`() async throws {
        let run = try await run(["/f", "-o", "f"], ScriptedDownloader(try file()), width: 80)
        #expect(run.errors.text == "\r\u{1B}[Kfetch f █████░░░░░░░░░░░░░░░ 25 %  50 B of 200 B\r\u{1B}[K")
    }

    @Test(arguments: [
        (["/f"], "--output"), (["f", "-o", "x"], "has no scheme"), (["/f", "-o", "x", "--retries", "20"], "0 to 19"),
        (["/f", "-o", "x", "-H", "nope"], "no colon"),
        (["/f", "-o", "x", "--digest", "md5=00"], "'md5=00' is no digest"),
        (["/f", "-o", "x", "--digest", "sha-256=abc"], "is no digest"), ([], "url|path"),
    ])
    func `an impossible download is a usage error that says why`(words: [String], text: String) throws {
        let failure = try #require(usageFailure(["fetch"] + words))
        #expect(failure.code == ExitStatus.usage.rawValue)
        #expect(failure.text.contains(text), "\(failure.text)")
    }
}
