import Foundation
import Glibc
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// Processes that download to one destination, as two shells with the same command do.
struct DownloadProcessTests {
    @Test(.timeLimit(.minutes(2)))
    func `of four processes one downloads, and three get an error`() async throws {
        let rig = try DownloadRig()
        let workers = try (0..<4).map { _ in try worker(in: rig.directory) }
        defer { for worker in workers { worker.stop() } }
        try await eventually("three are refused") { rig.directory.workplace.lines("refused").count == 3 }
        // The lock comes before the first bytes, so all three may be refused before the fourth has any.
        try await eventually("one downloads") { !rig.directory.workplace.lines("holding").isEmpty }
        #expect(rig.directory.workplace.lines("holding").count == 1)
        for line in rig.directory.workplace.lines("refused") {
            #expect(line.contains("is being downloaded by another process; wait until it is done"))
            #expect(line.hasSuffix("requests: 0"), "nothing is sent in vain")
        }
        #expect(rig.directory.content("a") == nil)
        try rig.directory.write("go", Data())
        for worker in workers { await worker.end() }
        #expect(rig.directory.workplace.lines("done") == ["10000"])
        #expect(rig.directory.content("a") == rig.origin.content)
        #expect(!rig.directory.names.contains { $0.hasPrefix("a.part") })
    }

    @Test(.timeLimit(.minutes(2)))
    func `the part of a killed process is resumed`() async throws {
        let rig = try DownloadRig()
        let worker = try worker(in: rig.directory)
        defer { worker.stop() }
        try await eventually("it downloads") { !rig.directory.workplace.lines("holding").isEmpty }
        let refused = try await rig.failure()
        #expect(refused.text.contains("is being downloaded by another process"))
        #expect(refused.requests == 0)
        await worker.kill()
        let (file, transport) = try await rig.download(digest: rig.origin.sha256, rig.origin.answer())
        #expect(file.resumedFrom == 4000)
        #expect(transport.requests.first?.headers["Range"] == "bytes=4000-")
        #expect(rig.directory.content("a") == rig.origin.content)
    }

    /// What a started process does: it stops at byte 4000 until it may go on.
    @Test(.enabled(if: Workplace.ofWorker != nil, "runs in processes that the tests above start"))
    func `a worker downloads`() async throws {
        let place = try #require(Workplace.ofWorker)
        let origin = FileOrigin(content: FileOrigin.bytes(10_000))
        let bench = try Bench(resilience: ResilienceOptions(retry: .never))
        let calls = Shared(0)
        bench.transport.append(
            ScriptedTransport.Answer { request in
                let (head, body) = origin.plain(request.headers)
                let stream = AsyncThrowingStream<Data, any Error> {
                    let number = calls.change { count in
                        count += 1
                        return count
                    }
                    if number == 1 { return Data(body.prefix(4000)) }
                    guard number == 2 else { return nil }
                    // Asked for more: the first 4000 are on the disk.
                    place.note("here", in: "holding")
                    try await eventually("it may go on") { place.has("go") }
                    return Data(body.dropFirst(4000))
                }
                return ClientResponse(head, body: ResponseBody(stream))
            })
        do {
            let file = try await ResumableDownloads(client: bench.client, resilience: bench.resilience).download(
                RawRequest(.get, "/files/a"), DownloadRequest(path: place.file("a")))
            place.note("\(file.bytes)", in: "done")
        } catch {
            place.note("\(error) requests: \(bench.transport.requests.count)", in: "refused")
        }
    }

    private func worker(in directory: TemporaryDirectory) throws -> WorkerProcess {
        try WorkerProcess(running: "a worker downloads", in: directory.workplace)
    }
}
