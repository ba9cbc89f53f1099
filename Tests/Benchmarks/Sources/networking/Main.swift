import AsyncHTTPClient
import FoundationEssentials
import NIOPosix
import StrataAsyncHTTP
import StrataDomain
import StrataNetworking

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Compares calls through the whole pipeline with AsyncHTTPClient alone and with our transport on it alone: same process,
/// same server, same JSON decoding. The goal is at least 0.95 of what AsyncHTTPClient does alone.
///
/// Rounds of all kinds take turns, so that whatever else the machine does meets them all; the printed ratios are the
/// medians of the ratios of neighbouring rounds. `networking only full|bare|alone socket|memory CONCURRENCY CALLS` runs one
/// kind, for a profiler.
@main struct Main {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let rounds = arguments.first.flatMap(Int.init) ?? 15
        let json = try WireJSON.encode(Page.sample)
        let server = try await PageServer.start(answering: Array(json))
        let transport = AsyncHTTPTransport()
        // One event loop thread, as our transport has.
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let http = HTTPClient(eventLoopGroup: group)
        let contenders = try Contenders(transport, http, base: "http://127.0.0.1:\(server.port)")
        if arguments.first == "only" { return try await profile(arguments, contenders, http, json) }
        print("one page of 20 items, \(json.count) bytes, loopback, \(rounds) rounds of each")
        var isEnough = true
        for (concurrency, calls) in [(1, 1500), (16, 6000)] {
            let result = try await compare(contenders, concurrency, calls: calls, rounds: rounds)
            print(result.text)
            if result.ratio(to: .alone) < 0.95 { isEnough = false }
        }
        await transport.shutdown()
        try await http.shutdown()
        try await group.shutdownGracefully()
        await server.stop()
        print(
            isEnough
                ? "both ratios to AsyncHTTPClient alone are at least 0.95"
                : "a ratio to AsyncHTTPClient alone is below 0.95")
        if !isEnough { exit(1) }
    }

    private static func profile(
        _ arguments: [String], _ sockets: Contenders, _ http: HTTPClient, _ json: Data
    ) async throws {
        guard arguments.count == 5, let way = Contenders.Way(rawValue: arguments[1]),
            let concurrency = Int(arguments[3]), let calls = Int(arguments[4])
        else { return print("networking only full|bare|alone socket|memory CONCURRENCY CALLS") }
        let memory = try Contenders(InstantTransport(json: json), http, base: "http://127.0.0.1:1")
        let contenders = arguments[2] == "memory" ? memory : sockets
        let rate = try await throughput(concurrency, calls) { try await contenders.call(way, $0) }
        print("\(way): \(Int(rate)) calls/s, \(Int(1_000_000 / rate)) µs for each")
        exit(0)
    }

    private static func compare(
        _ contenders: Contenders, _ concurrency: Int, calls: Int, rounds: Int
    ) async throws -> Comparison {
        var counted: [Comparison.Round] = []
        let ways = Contenders.Way.allCases
        // Two rounds to warm up, which do not count.
        for number in 0..<(rounds + 2) {
            var round: Comparison.Round = [:]
            for place in ways.indices {
                let way = ways[(place + number) % ways.count]
                round[way] = try await throughput(concurrency, calls) { try await contenders.call(way, $0) }
            }
            if number >= 2 { counted.append(round) }
        }
        return Comparison(concurrency: concurrency, rounds: counted)
    }

    /// Calls per second.
    private static func throughput(
        _ concurrency: Int, _ calls: Int, _ call: @escaping @Sendable (_ worker: Int) async throws -> Int
    ) async throws -> Double {
        let clock = ContinuousClock()
        let start = clock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<concurrency {
                group.addTask {
                    for _ in 0..<calls / concurrency {
                        let items = try await call(worker)
                        guard items == 20 else { throw NetworkError(.unexpected("\(items) items instead of 20")) }
                    }
                }
            }
            try await group.waitForAll()
        }
        let (seconds, attoseconds) = (clock.now - start).components
        return Double(calls) / (Double(seconds) + Double(attoseconds) / 1e18)
    }
}
