import FoundationEssentials
import Logging
import StrataCaching
import StrataDomain
import StrataHTTPCache

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Times the cache: a hit in memory, a hit on disk against the least that a disk read can cost, files against SQLite,
/// and how often SIEVE hits where LRU would.
///
/// Rounds of what is compared take turns; the printed figure is the median of the ratios of neighbouring rounds.
@main struct Main {
    static func main() async throws {
        let rounds = CommandLine.arguments.dropFirst().first.flatMap(Int.init) ?? 15
        let directory = FileManager.default.temporaryDirectory.path + "/strata-bench-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        var isEnough = await memoryHit(rounds)
        for size in [1 << 10, 4 << 10, 64 << 10] {
            let nanoseconds = try await diskHit(size, rounds, directory + "/\(size)")
            if size == 4 << 10, nanoseconds > 15_000 { isEnough = false }
        }
        for trace in Trace.allCases {
            let (sieve, lru) = await hitRatios(trace)
            print("\(trace.rawValue): SIEVE hits \(percent(sieve)), LRU \(percent(lru))")
            if sieve < lru { isEnough = false }
        }
        print(isEnough ? "all goals are met" : "a goal is missed")
        if !isEnough { exit(1) }
    }

    private static let silent = Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() }

    /// - Returns: Whether half of the calls took at most 300 ns.
    private static func memoryHit(_ rounds: Int) async -> Bool {
        let cache: any ResponseCache = TwoTierCache(directory: nil, logger: silent)
        let keys = (0..<40).map { CacheKey(principal: "ada", path: "/tides/\($0)") }
        for key in keys { await cache.store([1, 2, 3], for: key, lifetime: .seconds(600), tags: []) }
        var samples: [Double] = []
        for _ in 0..<rounds * 200 {
            let start = nanoseconds()
            for key in keys { _ = await cache.value([Int].self, for: key) }
            samples.append((nanoseconds() - start) / Double(keys.count))
        }
        print("memory hit of a decoded value: p50 \(Int(median(samples))) ns")
        return median(samples) <= 300
    }

    /// - Returns: Nanoseconds of a hit in the store.
    private static func diskHit(_ size: Int, _ rounds: Int, _ directory: String) async throws -> Double {
        let count = 200
        let body = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let store = TwoTierHTTPCacheStore(directory: directory, tiers: .disk, logger: silent)
        let files = try FileStore(directory + "/files")
        let bare = try BareSQLite(directory + "/bare.sqlite", count: count)
        let now = Date()
        var names: [(HTTPCacheKey, StoredResponse)] = []
        var writes: (store: [Double], files: [Double]) = ([], [])
        for number in 0..<count {
            let url = "https://tides.example/\(number)"
            let response = StoredResponse(status: 200, requestTime: now, responseTime: now, length: size)
            let key = HTTPCacheKey(principal: "ada", url: url)
            names.append((key, response))
            var start = nanoseconds()
            await store.store(
                response, body: body, for: key, replacing: [], keptUntil: now.addingTimeInterval(600), tags: [],
                since: nil)
            writes.store.append(nanoseconds() - start)
            start = nanoseconds()
            try files.write(body, number)
            writes.files.append(nanoseconds() - start)
            try bare.write(body, number)
        }
        var times: (store: [Double], bare: [Double], files: [Double], both: [Double]) = ([], [], [], [])
        for round in -2..<rounds {
            var took = [0.0, 0.0, 0.0, 0.0]
            for place in 0..<4 {
                let kind = (place + max(0, round)) % 4
                let start = nanoseconds()
                for number in 0..<count {
                    let found: Data?
                    switch kind {
                    case 0: found = await store.body(of: names[number].1, for: names[number].0)
                    case 1: found = bare.read(number)
                    case 3:
                        let response = await store.responses(for: names[number].0).first
                        found = await store.body(of: response ?? names[number].1, for: names[number].0)
                    default: found = files.read(number)
                    }
                    guard found?.count == size else { throw CocoaError(.fileReadUnknown) }
                }
                took[kind] = (nanoseconds() - start) / Double(count)
            }
            guard round >= 0 else { continue }
            times.store.append(took[0])
            times.bare.append(took[1])
            times.files.append(took[2])
            times.both.append(took[3])
        }
        let ratio = median(zip(times.store, zip(times.bare, times.files)).map { $0 / min($1.0, $1.1) })
        print(
            """
            disk hit of \(size >> 10) KB: store \(micro(times.store)), prepared SQLite \(micro(times.bare)), \
            file (open, pread, close) \(micro(times.files)), ratio to the faster \(shown(ratio)); \
            with a look-up of the heads \(micro(times.both)); write: store \(micro(writes.store)), \
            file (write, rename) \(micro(writes.files))
            """)
        return median(times.store)
    }

    private static func hitRatios(_ trace: Trace) async -> (sieve: Double, lru: Double) {
        let size = 200
        let cache = TwoTierCache(directory: nil, limits: CacheLimits(memoryEntries: size), logger: silent)
        var lru = LeastRecentlyUsed(size)
        var hits = (sieve: 0, lru: 0)
        let numbers = trace.numbers(60_000)
        for number in numbers {
            if lru.hit(number) { hits.lru += 1 }
            let key = CacheKey(principal: "", path: "/\(number)")
            if await cache.value(Int.self, for: key) != nil {
                hits.sieve += 1
            } else {
                await cache.store(number, for: key, lifetime: .seconds(600), tags: [])
            }
        }
        return (Double(hits.sieve) / Double(numbers.count), Double(hits.lru) / Double(numbers.count))
    }

    // MARK: - Figures

    private static func nanoseconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }

    private static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? 0 : (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }

    private static func micro(_ values: [Double]) -> String { "\(shown(median(values) / 1000)) µs" }
    private static func percent(_ value: Double) -> String { "\(shown(value * 100)) %" }
    private static func shown(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
    }
}
