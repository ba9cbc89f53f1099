import Foundation
import GRDB
import Glibc
import Logging
import StrataDomain
import StrataTesting
import Testing

@testable import StrataCaching
@testable import StrataHTTPCache

/// Processes that use one cache file at the same time.
@Suite(.serialized) struct SharedFileTests {
    /// How long the processes work together; `STRATA_CACHE_SECONDS=60` for a long run.
    private static let seconds = ProcessInfo.processInfo.environment["STRATA_CACHE_SECONDS"].flatMap(Double.init) ?? 3
    /// How many; eight in a long run.
    private static let processes = seconds > 3 ? 8 : 3
    private static let limit = 1_000_000

    let workers: Workers
    init() throws { workers = try Workers(running: "a process uses the cache") }

    var folder: String { workers.directory.path + "/http" }

    @Test(.timeLimit(.minutes(5)))
    func `processes that store, read and invalidate together never meet a lock or a wrong body`() async throws {
        try workers.start(Self.processes)
        await workers.wait(for: Self.processes, "ready")
        let sampler = Sampler(folder)
        let deadline = ContinuousClock.now + .seconds(Self.seconds)
        while .now < deadline { _ = poll(nil, 0, 50) }
        workers.allow("stop")
        for process in workers.processes { await process.end() }
        #expect(workers.lines("done").count == Self.processes)
        #expect(workers.lines("wrong") == [])
        // Another may take the room that was made; then it is tried again.
        #expect(workers.lines("log").filter { !$0.contains("SQLite error 13") } == [], "no lock, not even quietly")
        for line in workers.lines("done") { #expect(Int(line) ?? 0 > 3, "operations of one process") }
        #expect(sampler.finish().largest <= Self.limit + Self.limit / 4)
        #expect(try integrity() == "ok")
    }

    @Test(.timeLimit(.minutes(5)))
    func `the entries of a killed process are whole, and counted right`() async throws {
        var random = SeededRandom(seed: 5)
        for round in 0..<4 {
            let worker = try workers.start(1)[0]
            await workers.wait(for: round + 1, "ready")
            _ = poll(nil, 0, Int32.random(in: 20...120, using: &random))
            await worker.kill()
            #expect(Sampler.bytes(in: folder) <= Self.limit + Self.limit / 4)
            let store = Self.store(in: workers.directory.path, logger: .silent)
            let stats = await store.stats()
            #expect(stats.bytes == Sampler.bytes(in: folder), "nothing else is in the folder")
            #expect(stats.entries > 0)
            #expect(try integrity() == "ok")
            for number in 0..<Self.keys { #expect(await Self.isRight(number, in: store)) }
        }
        #expect(workers.lines("wrong") == [])
    }

    @Test(.enabled(if: Workplace.ofWorker != nil, "runs in processes that the tests above start"))
    func `a process uses the cache`() async throws {
        let task = try #require(Workplace.ofWorker)
        let logs = LogRecorder()
        let store = Self.store(in: task.path, logger: logs.logger())
        var random = Self.random(of: task)
        var operations = 0
        await Self.keep(0, in: store, &random)
        task.note("here", in: "ready")
        while !task.has("stop") {
            let number = Int.random(in: 0..<Self.keys, using: &random)
            switch Int.random(in: 0..<20, using: &random) {
            case 0: await store.removeAll(tagged: "t\(number % 4)")
            case 1: await store.removeAll(for: Self.key(number))
            case 2: await store.removeExpired()
            case 3..<9: await Self.keep(number, in: store, &random)
            default: if await !Self.isRight(number, in: store) { task.note("\(number)", in: "wrong") }
            }
            operations += 1
        }
        for line in logs.lines { task.note("\(line)".replacing("\n", with: " "), in: "log") }
        task.note("\(operations)", in: "done")
    }

    // MARK: - Work

    /// Each process has numbers of its own, by the order of their starts.
    private static func random(of task: Workplace) -> SeededRandom {
        task.note("here", in: "started")
        return SeededRandom(seed: UInt64(task.lines("started").count))
    }

    private static let keys = 40

    private static func store(in place: String, logger: Logger) -> TwoTierHTTPCacheStore {
        TwoTierHTTPCacheStore(directory: place, limits: CacheLimits(diskBytes: limit), logger: logger)
    }

    private static func key(_ number: Int) -> HTTPCacheKey {
        HTTPCacheKey(principal: "ada", url: "https://tides.example/\(number)")
    }

    private static func keep(
        _ number: Int, in store: TwoTierHTTPCacheStore, _ random: inout SeededRandom
    ) async {
        let count = Int.random(in: 0...60_000, using: &random)
        let now = Date()
        let response = StoredResponse(
            status: 200, reason: key(number).url, requestTime: now, responseTime: now, length: count)
        let old = await store.responses(for: key(number)).map(\.id)
        await store.store(
            response, body: body(response), for: key(number), replacing: Set(old),
            keptUntil: now.addingTimeInterval(Double.random(in: 0.5...60, using: &random)), tags: ["t\(number % 4)"],
            since: nil)
    }

    /// Follows from the id, so that each process knows what is right.
    private static func body(_ response: StoredResponse) -> Data {
        let pattern = withUnsafeBytes(of: response.id.uuid) { Array($0) }
        return Data((0..<response.length).map { pattern[$0 % 16] &+ UInt8(truncatingIfNeeded: $0 / 16) })
    }

    private static func isRight(_ number: Int, in store: TwoTierHTTPCacheStore) async -> Bool {
        for response in await store.responses(for: key(number)) {
            guard response.reason == key(number).url else { return false }
            if let found = await store.body(of: response, for: key(number)), found != body(response) { return false }
        }
        return true
    }

    private func integrity() throws -> String? {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".sqlite") }
        guard names.count == 1 else { return "\(names)" }
        return try DatabaseQueue(path: "\(folder)/\(names[0])").read {
            try String.fetchOne($0, sql: "PRAGMA integrity_check")
        }
    }
}
