import Logging
import StrataAsyncHTTP
import StrataDomain
import StrataNetworking
import StrataTesting

/// Many calls through the whole client to a server that goes wrong in every way.
struct Chaos {
    enum Keys {
        /// Each call has one key for good and is handed in until it was answered, as an offline queue does it.
        case outbox
        /// The client makes a key for each call.
        case client
        case none
        /// Handed in until answered, and without keys: wrong.
        case forgotten
    }

    let plan: ChaosPlan
    let keys: Keys

    init(seed: UInt64, keys: Keys) { (plan, self.keys) = (ChaosPlan(seed: seed), keys) }

    func run(_ calls: Int) async throws -> ChaosReport {
        let ledger = ChaosLedger(plan, tokenLife: 40)
        let server = try await LoopbackServer.start(ledger.script)
        let inner = AsyncHTTPTransport(try AsyncHTTPOptions(connectionsPerOrigin: 64))
        let dead = try DeadPort()
        let transport = PatchyTransport(inner, plan, deadPort: dead.port)
        let tally = EventTally()
        let resilience = Resilience(
            try ResilienceOptions(
                attemptTimeout: .seconds(2),
                retry: RetryPolicy(attempts: 3, baseDelay: .milliseconds(1), longestDelay: .milliseconds(4)),
                budget: RetryBudget(ratio: 1, reserve: 1_000_000), breaker: BreakerOptions(failures: 1_000_000),
                concurrency: 64, hedge: HedgeOptions(delay: .milliseconds(8))),
            random: SeededRandom.fractions(seed: plan.seed))
        let client = try HTTPAPIClient(
            baseURL: HTTPURL(server.url), transport: transport, auth: .bearer(ShortTokens()),
            resilience: resilience, options: ClientOptions(addsIdempotencyKeys: keys == .client),
            logger: LogRecorder().logger(level: .critical), events: tally.sink)

        let start = ContinuousClock.now
        var report = await withTaskGroup(of: Ending.self) { group in
            var report = ChaosReport(calls: calls)
            for call in 0..<calls {
                if call >= 12, let ending = await group.next() { report.add(ending) }
                group.addTask { await handIn(call, to: client) }
            }
            for await ending in group { report.add(ending) }
            return report
        }
        let elapsed = ContinuousClock.now - start
        await inner.shutdown()
        await server.stop()

        report.seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
        report.commits = ledger.commits
        report.server = ledger.counts
        report.unsent = transport.unsent.value
        (report.retries, report.hedges, report.replaysAfterRefresh) = tally.counts
        return report
    }

    private func handIn(_ call: Int, to client: HTTPAPIClient) async -> Ending {
        let options = CallOptions(
            idempotencyKey: keys == .outbox ? "tide-\(call)" : nil, headers: ["X-Call": "\(call)"])
        var ending = Ending(call: call)
        while true {
            do {
                let answer = try await client.send(AddTide(TidePayload(name: "\(call)", metres: 4.2)), options: options)
                ending.isMixedUp = answer.name != "\(call)"
                return ending
            } catch {
                guard keys == .outbox || keys == .forgotten, ending.handedInAgain < 50 else {
                    ending.isFailed = true
                    return ending
                }
                ending.handedInAgain += 1
            }
        }
    }
}
