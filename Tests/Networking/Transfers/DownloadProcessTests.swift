import Foundation
import Glibc
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// Processes that download to one destination, as two shells with the same command do.
struct DownloadProcessTests {
    /// Set in the processes that these tests start.
    private static let workplace = ProcessInfo.processInfo.environment["STRATA_DOWNLOAD_WORKPLACE"]

    @Test(.timeLimit(.minutes(2)))
    func `of four processes one downloads, and three get an error`() async throws {
        let rig = try DownloadRig()
        let workers = try (0..<4).map { _ in try worker(in: rig.directory) }
        defer { for worker in workers { worker.stop() } }
        eventuallyOnDisk("three are refused") { lines("refused", in: rig.directory).count == 3 }
        // The lock comes before the first bytes, so all three may be refused before the fourth has any.
        eventuallyOnDisk("one downloads") { !lines("holding", in: rig.directory).isEmpty }
        #expect(lines("holding", in: rig.directory).count == 1)
        for line in lines("refused", in: rig.directory) {
            #expect(line.contains("is being downloaded by another process; wait until it is done"))
            #expect(line.hasSuffix("requests: 0"), "nothing is sent in vain")
        }
        #expect(rig.directory.content("a") == nil)
        try rig.directory.write("go", Data())
        for worker in workers { worker.process.waitUntilExit() }
        #expect(lines("done", in: rig.directory) == ["10000"])
        #expect(rig.directory.content("a") == rig.origin.content)
        #expect(!rig.directory.names.contains { $0.hasPrefix("a.part") })
    }

    @Test(.timeLimit(.minutes(2)))
    func `the part of a killed process is resumed`() async throws {
        let rig = try DownloadRig()
        let worker = try worker(in: rig.directory)
        defer { worker.stop() }
        eventuallyOnDisk("it downloads") { !lines("holding", in: rig.directory).isEmpty }
        let refused = try await rig.failure()
        #expect(refused.text.contains("is being downloaded by another process"))
        #expect(refused.requests == 0)
        kill(worker.process.processIdentifier, SIGKILL)
        worker.process.waitUntilExit()
        let (file, transport) = try await rig.download(digest: rig.origin.sha256, rig.origin.answer())
        #expect(file.resumedFrom == 4000)
        #expect(transport.requests.first?.headers["Range"] == "bytes=4000-")
        #expect(rig.directory.content("a") == rig.origin.content)
    }

    /// What a started process does: it stops at byte 4000 until it may go on.
    @Test(.enabled(if: workplace != nil, "runs in processes that the tests above start"))
    func `a worker downloads`() async throws {
        let place = try #require(Self.workplace)
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
                    note("here", in: place + "/holding")
                    eventuallyOnDisk("it may go on") { FileManager.default.fileExists(atPath: place + "/go") }
                    return Data(body.dropFirst(4000))
                }
                return ClientResponse(head, body: ResponseBody(stream))
            })
        do {
            let file = try await ResumableDownloads(client: bench.client, resilience: bench.resilience).download(
                RawRequest(.get, "/files/a"), DownloadRequest(path: place + "/a"))
            note("\(file.bytes)", in: place + "/done")
        } catch {
            note("\(error) requests: \(bench.transport.requests.count)", in: place + "/refused")
        }
    }

    private func worker(in directory: TemporaryDirectory) throws -> Worker {
        let process = Process()
        process.executableURL = URL(
            fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        process.arguments = ["--testing-library", "swift-testing", "--filter", "a worker downloads"]
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["STRATA_DOWNLOAD_WORKPLACE": directory.path]) { $1 }
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return Worker(process: process)
    }

    private func lines(_ name: String, in directory: TemporaryDirectory) -> [Substring] {
        String(decoding: directory.content(name) ?? Data(), as: UTF8.self).split(separator: "\n")
    }
}

private struct Worker {
    let process: Process

    func stop() {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }
}

/// Adds a line in one write, which several processes may do at once.
private func note(_ line: String, in path: String) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    defer { close(descriptor) }
    let bytes = Array("\(line)\n".utf8)
    _ = write(descriptor, bytes, bytes.count)
}

/// Waits for what other processes bring about; looks at the disk, at most for a minute.
private func eventuallyOnDisk(_ what: Comment, _ condition: () -> Bool) {
    let deadline = ContinuousClock.now + .seconds(60)
    while !condition() {
        guard .now < deadline else {
            Issue.record("never happened: \(what)")
            return
        }
        _ = poll(nil, 0, 5)
    }
}
