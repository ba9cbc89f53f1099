import Foundation
import StrataConcurrency
import StrataDomain
import StrataTesting
import Testing

@testable import StrataTokens

/// Real processes with one token file: each runs one test of this suite.
struct ProcessTests {
    private static let clock = ManualWallClock(SessionTokens.noon)

    @Test func `ten processes with a refused token cause one refresh`() async throws {
        let directory = try TemporaryDirectory()
        let store = try FileTokenStore(directory: directory.path)
        try await store.write(.number(1))
        let workers = Mutex<[WorkerProcess]>([])
        defer { for worker in workers.withLock({ $0 }) { worker.stop() } }
        // All processes wait until the last one has started.
        try await store.withLock {
            for _ in 0..<10 {
                let worker = try worker(in: directory)
                workers.withLock { $0.append(worker) }
            }
            try await eventually("all are there") { directory.workplace.lines("ready").count == 10 }
        }
        try await eventually("all are done") { directory.workplace.lines("done").count == 10 }
        #expect(directory.workplace.lines("done").allSatisfy { $0 == "access-2" })
        #expect(directory.workplace.lines("sent") == ["refresh-1"])
        #expect(try await store.read()?.refresh == Secret("refresh-2"))
    }

    @Test func `another process refreshes after a process was killed during its refresh`() async throws {
        let directory = try TemporaryDirectory()
        let store = try FileTokenStore(directory: directory.path)
        try await store.write(.number(1))
        directory.workplace.note("here", in: "hang")
        let worker = try worker(in: directory)
        try await eventually("it refreshes") { directory.workplace.lines("sent") == ["refresh-1"] }
        let refresher = FakeRefresher { _, _ in .number(3) }
        let provider = RefreshingTokenProvider(store: store, refresher: refresher, clock: Self.clock)
        let waiting = Task { try await provider.refreshToken(rejecting: Secret("access-1")) }
        try await eventually("we wait for it") { await provider.waiting == 1 }
        #expect(refresher.sent.isEmpty)
        await worker.kill()
        #expect(try await waiting.value == Secret("access-3"))
        #expect(refresher.sent == [Secret("refresh-1")])
    }

    /// The test that a started process runs.
    @Test(.enabled(if: Workplace.ofWorker != nil, "runs in processes that the tests above start"))
    func `a worker refreshes`() async throws {
        let place = try #require(Workplace.ofWorker)
        let refresher = FakeRefresher { number, sent in
            place.note(sent.reveal(), in: "sent")
            if place.has("hang") { try? await Gate().wait() }
            return .number(number + 1)
        }
        let provider = RefreshingTokenProvider(
            store: try FileTokenStore(directory: place.path), refresher: refresher, clock: Self.clock)
        place.note("here", in: "ready")
        let token = try await provider.refreshToken(rejecting: Secret("access-1"))
        place.note(token.reveal(), in: "done")
    }

    private func worker(in directory: TemporaryDirectory) throws -> WorkerProcess {
        try WorkerProcess(running: "a worker refreshes", in: directory.workplace)
    }
}
