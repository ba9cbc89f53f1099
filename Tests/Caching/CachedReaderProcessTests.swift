import Foundation
import StrataDomain
import StrataTesting
import Testing

@testable import StrataCaching

/// Processes that share one cache directory: this program, started again to run one test of this suite.
@Suite(.serialized)
struct CachedReaderProcessTests {
    private func start(_ count: Int, in directory: TemporaryDirectory) throws -> [WorkerProcess] {
        try (0..<count).map { _ in
            try WorkerProcess(running: "a process reads through the cache", in: directory.workplace)
        }
    }

    private func end(_ processes: [WorkerProcess]) { for process in processes { process.stop() } }

    @Test func `eight processes on one cold key cause one request`() async throws {
        let directory = try TemporaryDirectory()
        let processes = try start(8, in: directory)
        defer { end(processes) }
        try await eventually("all are there") { directory.workplace.lines("ready").count == 8 }
        directory.workplace.note("hold", in: "hold")
        directory.workplace.note("go", in: "go")
        try await eventually("all want the value") { directory.workplace.lines("waits").count == 8 }
        try directory.workplace.remove("hold")
        try await eventually("all are done") { directory.workplace.lines("done").count == 8 }
        #expect(directory.workplace.lines("asked").count == 1)
        #expect(directory.workplace.lines("done").allSatisfy { $0 == "0.4" })
    }

    @Test func `a process that is killed while it fetches is replaced in under a second`() async throws {
        let directory = try TemporaryDirectory()
        directory.workplace.note("hang", in: "hang")
        let first = try start(1, in: directory)
        defer { end(first) }
        directory.workplace.note("go", in: "go")
        try await eventually("it fetches") { directory.workplace.lines("asked").count == 1 }
        try directory.workplace.remove("hang")
        let others = try start(3, in: directory)
        defer { end(others) }
        try await eventually("the others wait") { directory.workplace.lines("waits").count == 4 }
        #expect(directory.workplace.lines("asked").count == 1)
        await first[0].kill()
        let killed = ContinuousClock.now
        try await eventually("one of them fetches") { directory.workplace.lines("asked").count == 2 }
        #expect(ContinuousClock.now - killed < .seconds(1))
        try await eventually("all are done") { directory.workplace.lines("done").count == 3 }
        #expect(directory.workplace.lines("asked").count == 2)
    }

    @Test func `where the cache cannot be used each process asks for itself`() async throws {
        let directory = try TemporaryDirectory()
        directory.workplace.note("a file in the place of the directory", in: "cache")
        let processes = try start(3, in: directory)
        defer { end(processes) }
        try await eventually("all are there") { directory.workplace.lines("ready").count == 3 }
        directory.workplace.note("hold", in: "hold")
        directory.workplace.note("go", in: "go")
        try await eventually("all fetch") { directory.workplace.lines("asked").count == 3 }
        try directory.workplace.remove("hold")
        try await eventually("all are done") { directory.workplace.lines("done").count == 3 }
    }

    @Test(arguments: ["tag", "key", "all", "keep"])
    func `a fetch does not undo what another process invalidated meanwhile`(change: String) async throws {
        let directory = try TemporaryDirectory()
        directory.workplace.note("hold", in: "hold")
        directory.workplace.note("go", in: "go")
        let processes = try start(1, in: directory)
        defer { end(processes) }
        try await eventually("it fetches") { directory.workplace.lines("asked").count == 1 }
        let cache = TwoTierCache(directory: directory.path + "/cache", logger: .silent)
        let reader = CachedReader(cache: cache, logger: .silent)
        switch change {
        case "tag": await reader.invalidate(tag: "tides")
        case "key": await reader.invalidate(.tide())
        case "all": await reader.invalidateAll()
        default: await reader.keep(Tide.high, for: .tide())
        }
        try directory.workplace.remove("hold")
        try await eventually("it is done") { directory.workplace.lines("done").count == 1 }
        #expect(directory.workplace.lines("done") == ["0.4"])
        let kept = await TwoTierCache(directory: directory.path + "/cache", logger: .silent).value(
            Tide.self, for: .tide())
        #expect(kept?.value == (change == "keep" ? .high : nil))
    }

    /// What a started process does.
    @Test(.enabled(if: Workplace.ofWorker != nil, "runs in processes that the tests above start"))
    func `a process reads through the cache`() async throws {
        let place = try #require(Workplace.ofWorker)
        let reader = CachedReader(
            cache: TwoTierCache(directory: place.file("cache"), logger: .silent), logger: .silent)
        place.note("here", in: "ready")
        try await eventually("it may go") { place.has("go") }
        place.note("here", in: "waits")
        let tide = try await reader.read(Tide.self, .tide(), tags: ["tides"]) { () async throws(DomainError) in
            place.note("here", in: "asked")
            if place.has("hang") { try? await Gate().wait() }
            try? await eventually("it may answer") { !place.has("hold") }
            return Tide.low
        }
        place.note("\(tide.value.metres)", in: "done")
    }
}
