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

    @Test func `a download says what came and whether it is right`() async throws {
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

    @Test func `a download for programs is one exact document`() async throws {
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
        #expect(run.errors.text.contains("status \(status) is no content, so nothing was written. Check the address"))
    }

    @Test func `what was asked for reaches the downloader`() async throws {
        let downloader = ScriptedDownloader(try file())
        let run = try await run(
            ["https://h/f?a=1", "-o", "out", "-H", "A: 1", "--retries", "5", "--digest", "sha-256=\(Self.hex)"],
            downloader)
        let call = try #require(downloader.call)
        #expect(call.request.url == "https://h/f?a=1" && call.request.method == .get)
        #expect(call.request.headers["A"] == "1")
        #expect(call.download.path == "out" && call.download.digest == Self.digest)
        #expect(run.settings?.retries == 5)
        // A download may take as long as it takes.
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
        (.server(500, nil), .unavailable), (.timeout, .tryLater), (.storage("x"), .cannotWrite),
        (.cancelled, .interrupted), (.rateLimited(retryAfter: nil), .tryLater), (.conflict(nil), .rejected),
    ])
    func `every failure ends with its code`(kind: NetworkError.Kind, status: ExitStatus) async throws {
        let people = try await run(["/f", "-o", "f"], ScriptedDownloader(kind))
        #expect(people.status == status && people.output.text.isEmpty)
        #expect(people.errors.text.hasPrefix("error: GET /file: "))
        let programs = try await run(["/f", "-o", "f", "--json"], ScriptedDownloader(kind))
        #expect(programs.status == status)
        #expect(programs.errors.text.hasPrefix(#"{"error":{"code":"#))
    }

    @Test func `a directory is no destination`() async throws {
        let scratch = try Scratch()
        let downloader = ScriptedDownloader(try file())
        let run = try await run(["/f", "-o", scratch.path], downloader)
        #expect(run.status == .cannotWrite)
        #expect(run.errors.text.contains("'\(scratch.path)' is a directory. Name a file in it with -o."))
        #expect(downloader.call == nil)
    }

    @Test func `a terminal shows how far it is, and nothing of it stays`() async throws {
        let run = try await run(["/f", "-o", "f"], ScriptedDownloader(try file()), width: 80)
        #expect(run.errors.text == "\r\u{1B}[Kfetch f █████░░░░░░░░░░░░░░░ 25 %  50 B of 200 B\r\u{1B}[K")
    }

    @Test(arguments: [
        (["/f"], "--output"), (["f", "-o", "x"], "has no scheme"), (["/f", "-o", "x", "--retries", "20"], "0 to 19"),
        (["/f", "-o", "x", "-H", "nope"], "no colon"),
        (["/f", "-o", "x", "--digest", "md5=00"], "'md5=00' is no digest"),
        (["/f", "-o", "x", "--digest", "sha-256=abc"], "is no digest"), ([], "url|path"),
    ])
    func `what cannot be meant is a usage error that says so`(words: [String], text: String) throws {
        let failure = try #require(usageFailure(["fetch"] + words))
        #expect(failure.code == ExitStatus.usage.rawValue)
        #expect(failure.text.contains(text), "\(failure.text)")
    }
}
