import Foundation
import StrataConcurrency
import StrataDomain
import StrataTesting
import Testing

@testable import StrataTokens

/// Real processes on one token file: this program, started again to run one test of this suite.
struct ProcessTests {
    /// Set for the processes that are started here.
    private static let workplace = ProcessInfo.processInfo.environment["STRATA_TOKENS_WORKPLACE"]
    private static let clock = ManualWallClock(SessionTokens.noon)

    @Test func `ten processes with a refused token cause one refresh`() async throws {
        let directory = try TemporaryDirectory()
        let store = try FileTokenStore(directory: directory.path)
        try await store.write(.number(1))
        let workers = Mutex<[Process]>([])
        defer { for worker in workers.withLock({ $0 }) where worker.isRunning { worker.terminate() } }
        // Nobody begins before all are there.
        try await store.withLock {
            for _ in 0..<10 {
                let worker = try worker(in: directory)
                workers.withLock { $0.append(worker) }
            }
            await eventuallyOnDisk("all are there") { lines("ready", in: directory).count == 10 }
        }
        await eventuallyOnDisk("all are done") { lines("done", in: directory).count == 10 }
        #expect(lines("done", in: directory).allSatisfy { $0 == "access-2" })
        #expect(lines("sent", in: directory) == ["refresh-1"])
        #expect(try await store.read()?.refresh == Secret("refresh-2"))
    }

    @Test func `a process that is killed in the middle of a refresh is taken over`() async throws {
        let directory = try TemporaryDirectory()
        let store = try FileTokenStore(directory: directory.path)
        try await store.write(.number(1))
        try Data().write(to: URL(fileURLWithPath: directory.path + "/hang"))
        let worker = try worker(in: directory)
        await eventuallyOnDisk("it refreshes") { lines("sent", in: directory) == ["refresh-1"] }
        let refresher = FakeRefresher { _, _ in .number(3) }
        let provider = RefreshingTokenProvider(store: store, refresher: refresher, clock: Self.clock)
        let waiting = Task { try await provider.refreshToken(rejecting: Secret("access-1")) }
        await eventually("we wait for it") { await provider.waiting == 1 }
        #expect(refresher.sent.isEmpty)
        kill(worker.processIdentifier, SIGKILL)
        #expect(try await waiting.value == Secret("access-3"))
        #expect(refresher.sent == [Secret("refresh-1")])
    }

    /// What a started process does.
    @Test(.enabled(if: workplace != nil, "runs in processes that the tests above start"))
    func `a worker refreshes`() async throws {
        let place = try #require(Self.workplace)
        let refresher = FakeRefresher { number, sent in
            note(sent.reveal(), in: place + "/sent")
            if FileManager.default.fileExists(atPath: place + "/hang") { try? await Gate().wait() }
            return .number(number + 1)
        }
        let provider = RefreshingTokenProvider(
            store: try FileTokenStore(directory: place), refresher: refresher, clock: Self.clock)
        note("here", in: place + "/ready")
        let token = try await provider.refreshToken(rejecting: Secret("access-1"))
        note(token.reveal(), in: place + "/done")
    }

    private func worker(in directory: TemporaryDirectory) throws -> Process {
        let process = Process()
        process.executableURL = URL(
            fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        process.arguments = ["--testing-library", "swift-testing", "--filter", "a worker refreshes"]
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["STRATA_TOKENS_WORKPLACE": directory.path]) { $1 }
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    private func lines(_ name: String, in directory: TemporaryDirectory) -> [Substring] {
        let text = (try? String(contentsOfFile: "\(directory.path)/\(name)", encoding: .utf8)) ?? ""
        return text.split(separator: "\n")
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
private func eventuallyOnDisk(_ what: Comment, _ condition: () -> Bool) async {
    let deadline = ContinuousClock.now + .seconds(60)
    while !condition() {
        guard .now < deadline else {
            Issue.record("never happened: \(what)")
            return
        }
        _ = poll(nil, 0, 5)
    }
}
