import FoundationEssentials
import StrataDomain
import StrataSystem
import StrataTesting
import Testing

import struct Synchronization.Atomic

@testable import StrataNetworking

/// Downloads onto a disk whose size the test decides, and downloads with a limit.
struct DownloadRoomTests {
    private let directory: TemporaryDirectory
    private var origin = FileOrigin(content: FileOrigin.bytes(10_000))

    init() throws { directory = try TemporaryDirectory() }

    /// Of a file system of 100 000 bytes with `free` bytes for the download and its reserve of 5000.
    private func failure(
        free: Int64 = .max, limit: Int64? = nil, _ answer: ScriptedTransport.Answer
    ) async throws -> (error: NetworkError, transport: ScriptedTransport, kept: DownloadBeginning?) {
        let bench = try Bench(resilience: ResilienceOptions(retry: RetryPolicy(attempts: 3, baseDelay: .zero)))
        bench.transport.append(answer)
        var downloads = ResumableDownloads(client: bench.client, resilience: bench.resilience)
        let part = directory.path + "/a.part"
        downloads.measure = { _ in
            let size = Int64(Stat.size(at: part) ?? 0)
            return DiskSpace(free: free == .max ? free : free - size, total: 100_000)
        }
        let path = directory.path + "/a"
        do {
            _ = try await downloads.download(RawRequest(.get, "/a"), DownloadRequest(path: path, limit: limit))
            return (NetworkError(.unexpected("no failure")), bench.transport, nil)
        } catch { return (error, bench.transport, await downloads.beginning(of: path)) }
    }

    @Test(arguments: [(0, 0, 0), (64_000, 3_200, 60_800), (1 << 40, 100_000_000, (1 << 40) - 100_000_000)])
    func `five percent of a disk stay free, and at most 100 MB`(total: Int64, reserve: Int64, room: Int64) {
        let space = DiskSpace(free: total, total: total)
        #expect(space.reserve == reserve && space.room == room)
        #expect(DiskSpace(free: reserve, total: total).room == 0)
    }

    @Test func `content that is announced larger than the room is refused before its first byte`() async throws {
        let read = Atomic(0)
        let answer = ScriptedTransport.Answer { [origin] request in
            let (head, body) = origin.plain(request.headers)
            return ClientResponse(
                head, body: ResponseBody(body).tapped { read.add($0.count, ordering: .relaxed) })
        }
        let (error, transport, kept) = try await failure(free: 14_999, answer)
        #expect(error.kindText.hasPrefix("storage"))
        #expect(error.reason.contains("needs 10000 bytes and its disk has room for 9999: 5000 bytes stay free"))
        #expect(read.load(ordering: .relaxed) == 0 && transport.requests.count == 1)
        #expect(kept == nil && directory.names.isEmpty)
        #expect(try await failure(free: 15_000, origin.answer()).error.reason.contains("no failure"))
    }

    @Test func `content of unknown length stops before the reserve, and the next run goes on from there`() async throws
    {
        let (error, transport, kept) = try await failure(
            free: 11_000, origin.answer { $0.headers["Content-Length"] = nil })
        #expect(error.kindText.hasPrefix("storage") && transport.requests.count == 1)
        #expect(error.reason.contains("has 6000 bytes, and the disk has only 5000 bytes left"), "\(error)")
        #expect(kept == DownloadBeginning(path: directory.path + "/a.part", bytes: 6000))
        #expect(directory.content("a.part") == origin.content.prefix(6000))
        let next = try await failure(free: 15_000, origin.answer())
        #expect(next.error.reason.contains("no failure"))
        #expect(next.transport.requests.first?.headers["Range"] == "bytes=6000-")
        #expect(directory.content("a") == origin.content)
    }

    @Test func `nothing is kept of what no later run could go on with`() async throws {
        var nameless = origin
        nameless.headers = [:]
        let (_, _, kept) = try await failure(free: 11_000, nameless.answer { $0.headers["Content-Length"] = nil })
        #expect(kept == nil && directory.names.isEmpty)
    }

    @Test(arguments: [true, false])
    func `content over the limit is refused, and nothing of it is kept`(isAnnounced: Bool) async throws {
        let answer = origin.answer { if !isAnnounced { $0.headers["Content-Length"] = nil } }
        let (error, transport, kept) = try await failure(limit: 9999, answer)
        #expect(error.kindText.hasPrefix("invalidResponse") && error.reason.contains("more than the 9999 bytes"))
        #expect(kept == nil && directory.names.isEmpty && transport.requests.count == 1)
        #expect(try await failure(limit: 10_000, origin.answer()).error.reason.contains("no failure"))
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
