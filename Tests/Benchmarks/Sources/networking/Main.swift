import FoundationEssentials
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

/// Compares calls through the whole pipeline with the bare transport: same process, same connections, same JSON decoding.
///
/// Rounds of both kinds take turns, so that whatever else the machine does meets both; the printed ratio is the median of
/// the ratios of neighbouring rounds. `networking only full|bare socket|memory CONCURRENCY CALLS` runs one kind, for a
/// profiler.
@main struct Main {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let rounds = arguments.first.flatMap(Int.init) ?? 15
        let json = try WireJSON.encode(Page.sample)
        let server = try await PageServer.start(answering: Array(json))
        let transport = AsyncHTTPTransport()
        let contenders = try Contenders(transport, base: "http://127.0.0.1:\(server.port)")
        if arguments.first == "only" { return try await profile(arguments, contenders, json) }
        print("one page of 20 items, \(json.count) bytes, loopback, \(rounds) pairs of rounds")
        var isEnough = true
        for (concurrency, calls) in [(1, 1500), (16, 6000)] {
            let result = try await compare(contenders, concurrency, calls: calls, rounds: rounds)
            print(result.text)
            if result.ratio < 0.95 { isEnough = false }
        }
        await transport.shutdown()
        await server.stop()
        print(isEnough ? "both ratios are at least 0.95" : "a ratio is below 0.95")
        if !isEnough { exit(1) }
    }

    private static func profile(_ arguments: [String], _ sockets: Contenders, _ json: Data) async throws {
        guard arguments.count == 5, let concurrency = Int(arguments[3]), let calls = Int(arguments[4]) else {
            return print("networking only full|bare socket|memory CONCURRENCY CALLS")
        }
        let memory = try Contenders(InstantTransport(json: json), base: "http://127.0.0.1:1")
        let contenders = arguments[2] == "memory" ? memory : sockets
        let rate = try await throughput(concurrency, calls) { worker in
            try await arguments[1] == "full" ? contenders.full(worker) : contenders.bare(worker)
        }
        print("\(arguments[1]): \(Int(rate)) calls/s, \(Int(1_000_000 / rate)) µs for each")
    }

    private static func compare(
        _ contenders: Contenders, _ concurrency: Int, calls: Int, rounds: Int
    ) async throws -> Comparison {
        var pairs: [Comparison.Pair] = []
        // Two rounds to warm up, which do not count.
        for round in -2..<rounds {
            var pair = Comparison.Pair()
            for isFull in round.isMultiple(of: 2) ? [true, false] : [false, true] {
                let rate = try await throughput(concurrency, calls) { worker in
                    try await isFull ? contenders.full(worker) : contenders.bare(worker)
                }
                if isFull { pair.full = rate } else { pair.bare = rate }
            }
            if round >= 0 { pairs.append(pair) }
        }
        return Comparison(concurrency: concurrency, pairs: pairs)
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
