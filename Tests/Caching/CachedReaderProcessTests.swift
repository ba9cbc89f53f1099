import Foundation
import StrataDomain
import StrataTesting
import Testing

@testable import StrataCaching

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Processes that share one cache directory: this program, started again to run one test of this suite.
@Suite(.serialized)
struct CachedReaderProcessTests {
    private static let place = ProcessInfo.processInfo.environment["STRATA_CACHE_PLACE"]
    private static let name = "a process reads through the cache"

    private func start(_ count: Int, in place: String) throws -> [Process] {
        try (0..<count).map { _ in try worker(running: Self.name, environment: ["STRATA_CACHE_PLACE": place]) }
    }

    private func end(_ processes: [Process]) {
        for process in processes where process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    @Test func `eight processes on one cold key cause one request`() async throws {
        let directory = try TemporaryDirectory()
        let processes = try start(8, in: directory.path)
        defer { end(processes) }
        await eventuallyOnDisk("all are there") { lines("ready", in: directory.path).count == 8 }
        note("hold", in: directory.path + "/hold")
        note("go", in: directory.path + "/go")
        await eventuallyOnDisk("all want the value") { lines("waits", in: directory.path).count == 8 }
        try FileManager.default.removeItem(atPath: directory.path + "/hold")
        await eventuallyOnDisk("all are done") { lines("done", in: directory.path).count == 8 }
        #expect(lines("asked", in: directory.path).count == 1)
        #expect(lines("done", in: directory.path).allSatisfy { $0 == "0.4" })
    }

    @Test func `a process that is killed while it fetches is replaced in under a second`() async throws {
        let directory = try TemporaryDirectory()
        note("hang", in: directory.path + "/hang")
        let first = try start(1, in: directory.path)
        defer { end(first) }
        note("go", in: directory.path + "/go")
        await eventuallyOnDisk("it fetches") { lines("asked", in: directory.path).count == 1 }
        try FileManager.default.removeItem(atPath: directory.path + "/hang")
        let others = try start(3, in: directory.path)
        defer { end(others) }
        await eventuallyOnDisk("the others wait") { lines("waits", in: directory.path).count == 4 }
        #expect(lines("asked", in: directory.path).count == 1)
        kill(first[0].processIdentifier, SIGKILL)
        let killed = ContinuousClock.now
        await eventuallyOnDisk("one of them fetches") { lines("asked", in: directory.path).count == 2 }
        #expect(ContinuousClock.now - killed < .seconds(1))
        await eventuallyOnDisk("all are done") { lines("done", in: directory.path).count == 3 }
        #expect(lines("asked", in: directory.path).count == 2)
    }

    @Test func `where the cache cannot be used each process asks for itself`() async throws {
        let directory = try TemporaryDirectory()
        note("a file in the place of the directory", in: directory.path + "/cache")
        let processes = try start(3, in: directory.path)
        defer { end(processes) }
        await eventuallyOnDisk("all are there") { lines("ready", in: directory.path).count == 3 }
        note("hold", in: directory.path + "/hold")
        note("go", in: directory.path + "/go")
        await eventuallyOnDisk("all fetch") { lines("asked", in: directory.path).count == 3 }
        try FileManager.default.removeItem(atPath: directory.path + "/hold")
        await eventuallyOnDisk("all are done") { lines("done", in: directory.path).count == 3 }
    }

    @Test(arguments: ["tag", "key", "all", "keep"])
    func `a fetch does not undo what another process invalidated meanwhile`(change: String) async throws {
        let directory = try TemporaryDirectory()
        note("hold", in: directory.path + "/hold")
        note("go", in: directory.path + "/go")
        let processes = try start(1, in: directory.path)
        defer { end(processes) }
        await eventuallyOnDisk("it fetches") { lines("asked", in: directory.path).count == 1 }
        let cache = TwoTierCache(directory: directory.path + "/cache", logger: .silent)
        let reader = CachedReader(cache: cache, logger: .silent)
        switch change {
        case "tag": await reader.invalidate(tag: "tides")
        case "key": await reader.invalidate(.tide())
        case "all": await reader.invalidateAll()
        default: await reader.keep(Tide.high, for: .tide())
        }
        try FileManager.default.removeItem(atPath: directory.path + "/hold")
        await eventuallyOnDisk("it is done") { lines("done", in: directory.path).count == 1 }
        #expect(lines("done", in: directory.path) == ["0.4"])
        let kept = await TwoTierCache(directory: directory.path + "/cache", logger: .silent).value(
            Tide.self, for: .tide())
        #expect(kept?.value == (change == "keep" ? .high : nil))
    }

    /// What a started process does.
    @Test(.enabled(if: place != nil, "runs in processes that the tests above start"))
    func `a process reads through the cache`() async throws {
        let place = try #require(Self.place)
        let reader = CachedReader(
            cache: TwoTierCache(directory: place + "/cache", logger: .silent), logger: .silent)
        note("here", in: place + "/ready")
        await eventuallyOnDisk("it may go") { FileManager.default.fileExists(atPath: place + "/go") }
        note("here", in: place + "/waits")
        let tide = try await reader.read(Tide.self, .tide(), tags: ["tides"]) { () async throws(DomainError) in
            note("here", in: place + "/asked")
            if FileManager.default.fileExists(atPath: place + "/hang") { try? await Gate().wait() }
            await eventuallyOnDisk("it may answer") { !FileManager.default.fileExists(atPath: place + "/hold") }
            return Tide.low
        }
        note("\(tide.value.metres)", in: place + "/done")
    }
}
