import FoundationEssentials
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

struct DownloadLimitTests {
    private let directory: TemporaryDirectory
    private let origin = FileOrigin(content: FileOrigin.bytes(10_000))

    init() throws { directory = try TemporaryDirectory() }

    private func failure(
        limit: Int64, _ answer: ScriptedTransport.Answer
    ) async throws -> (error: NetworkError, requests: Int) {
        let bench = try Bench(answer, resilience: ResilienceOptions(retry: RetryPolicy(attempts: 3, baseDelay: .zero)))
        let downloads = ResumableDownloads(client: bench.client, resilience: bench.resilience)
        let error = await #expect(throws: NetworkError.self) {
            try await downloads.download(
                RawRequest(.get, "/a"), DownloadRequest(path: directory.path + "/a", limit: limit))
        }
        return (try #require(error), bench.transport.requests.count)
    }

    @Test(arguments: [true, false])
    func `content over the limit is refused, and nothing of it is kept`(isAnnounced: Bool) async throws {
        let answer = origin.answer { if !isAnnounced { $0.headers["Content-Length"] = nil } }
        let (error, requests) = try await failure(limit: 9999, answer)
        #expect(error.kindText.hasPrefix("invalidResponse") && error.reason.contains("more than the 9999 bytes"))
        #expect(directory.names.isEmpty && requests == 1)
    }

    @Test(arguments: [nil, 7])
    func `the wait that a failing server asks for is in the error`(seconds: Int64?) async throws {
        let headers: HeaderFields = seconds.map { ["Retry-After": "\($0)"] } ?? [:]
        let bench = try Bench(.status(503, headers: headers), resilience: ResilienceOptions(retry: .never))
        let downloads = ResumableDownloads(client: bench.client, resilience: bench.resilience)
        let error = await #expect(throws: NetworkError.self) {
            try await downloads.download(RawRequest(.get, "/a"), DownloadRequest(path: directory.path + "/a"))
        }
        #expect(error?.retryAfter == seconds.map { .seconds($0) })
    }
}
