import Foundation
import GRDB
import StrataConcurrency
import StrataTesting

/// Many homes that write and synchronise at once against one server, over a network that breaks, in processes that are
/// stopped and killed.
final class Homes: Sendable {
    struct Settings: Sendable {
        /// Chooses the moments and the faults. How far the programs have come by then differs from run to run.
        var seed: UInt64
        var homes = 4
        var seconds = 20
        /// Writes of all homes together in a second.
        var rate = 12
        /// Far less than the longest wait of `sync --watch`, five minutes.
        var longestWait = Duration.seconds(30)
        /// Replicas behind a balancer on one PostgreSQL; 0 for one server on SQLite.
        var replicas = 0
        /// Whether to print every minute how far it is.
        var tellsProgress = false
    }

    struct Report: Sendable {
        var writes = 0
        /// Writes in a second that were asked for.
        var rate = 0
        var seconds = 0.0
        var faults: [String: Int] = [:]
        /// Replicas that stood still inside of a write; `nil` without replicas. Fewer than the demands: the cluster has one at a
        /// time, and looks for a write for 20 seconds at most.
        var standstills: Int?
        /// What `sync --watch` said when it ended by itself.
        var ended: [String] = []
        var drained: Duration?
        var conflicts = 0
        var rows = 0
        var problems: [String] = []

        var text: String {
            let drained = drained.map { "\($0)" } ?? "never"
            let faults = faults.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
            return """
                homes: \(writes) writes in \(Int(seconds)) s (\(Int(Double(writes) / max(seconds, 1)))/s, \(rate)/s asked for); \(faults)\
                \(standstills.map { ", \($0) standstills inside of a write" } ?? "")
                homes: drained \(drained) after healing, \(conflicts) conflicts settled, \(rows) rows, \
                \(problems.count) problems, \(ended.count) watchers ended by themselves
                """
        }
    }

    private struct State {
        var server: Server
        var report = Report()
        var watchers: [Int: Program] = [:]
        /// Texts that a client said are stored.
        var acknowledged: Set<String> = []
        var isOver = false
    }

    private let settings: Settings
    private let workspace: Workspace
    private let relays: [Relay]
    private let shared: [String]
    private let held: Mutex<State>

    init(_ settings: Settings) async throws {
        let workspace = try Workspace()
        let server =
            try await settings.replicas > 0
            ? workspace.startCluster(replicas: settings.replicas) : workspace.startServer()
        self.settings = settings
        self.workspace = workspace
        relays = try (0..<settings.homes).map { _ in try Relay(to: server.port) }
        held = Mutex(State(server: server))
        for home in 0..<settings.homes {
            // The server is one for all, whatever way leads there.
            try await workspace.loginPatiently(
                home: "home-\(home)", server: Server(url: relays[home].url, program: server.program))
        }
        var ids: [String] = []
        for number in 0..<5 {
            struct Entry: Decodable { let id: String }
            let added = try await workspace.shiftlog(
                ["journal", "add", "shared \(number)", "--host", "all", "--json"], home: "home-0",
                server: Server(url: relays[0].url, program: server.program))
            ids.append(try JSONDecoder().decode(Entry.self, from: Data(added.out.utf8)).id)
        }
        shared = ids
    }

    deinit {
        held.withLock { state in
            for watcher in state.watchers.values { watcher.signal(SIGKILL) }
            state.server.program.signal(SIGKILL)
        }
    }

    func run() async throws -> Report {
        let start = ContinuousClock.now
        let end = start + .seconds(settings.seconds)
        for home in 0..<settings.homes { try watch(home) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            var seeds = SeededRandom(seed: settings.seed)
            for home in 0..<settings.homes {
                let (writes, faults) = (SeededRandom(seed: seeds.next()), SeededRandom(seed: seeds.next()))
                group.addTask { try await self.write(in: home, until: end, writes) }
                group.addTask { try await self.hurt(home, until: end, faults) }
            }
            let faults = SeededRandom(seed: seeds.next())
            group.addTask { try await self.hurtServer(until: end, faults) }
            if settings.tellsProgress { group.addTask { try await self.tellProgress(from: start, until: end) } }
            try await group.waitForAll()
        }
        held.withLock { state in
            state.report.seconds = (ContinuousClock.now - start) / .seconds(1)
            state.report.rate = settings.rate
            if settings.replicas > 0 { state.report.standstills = Cluster.standstills(of: state.server.program) }
        }
        try await cutEverybodyOff()
        try await heal()
        try await drain()
        try await settleConflicts()
        try await compare()
        return held.withLock { state in
            state.isOver = true
            return state.report
        }
    }

    // MARK: - Work

    /// A file of lines at a time, and now and then an edit of what others edit too.
    private func write(in home: Int, until end: ContinuousClock.Instant, _ random: SeededRandom) async throws {
        var random = random
        let lines = 8
        // One in twelve is killed.
        let pause = Duration.seconds(Double(settings.homes * lines) / Double(settings.rate) * 11 / 12)
        var next = ContinuousClock.now + pause * Double.random(in: 0...1, using: &random)
        var number = 0
        while next < end {
            try await RealTime.pass(until: next)
            next += pause
            number += 1
            let texts = (0..<lines).map { "home \(home) file \(number) line \($0)" }
            let file = try workspace.write(texts.joined(separator: "\n"), to: "home-\(home)-\(number).log")
            let program = try start(["journal", "import", file, "--host", "h\(home)", "--offline"], home)
            if Int.random(in: 0..<12, using: &random) == 0 {
                try await RealTime.pass(milliseconds: 0...200, using: &random)
                program.signal(SIGKILL)
                count("kills of a writer")
            }
            let outcome = try await program.outcome()
            let isStored = outcome.out.contains("accepted \(lines)")
            held.withLock { state in
                if !outcome.wasSignalled, outcome.status != 0 {
                    state.report.problems.append("import in home \(home): \(outcome.err)")
                }
                guard isStored else { return }
                state.acknowledged.formUnion(texts)
                state.report.writes += lines
            }
            guard number % 4 == home % 4, let id = shared.randomElement(using: &random) else { continue }
            let edit =
                Bool.random(using: &random)
                ? ["--text", "shared by \(home) at \(number)"] : ["--severity", ["info", "critical"][number % 2]]
            // Not there yet, or disputed: no matter.
            let edited = try await start(["journal", "edit", id, "--offline"] + edit, home).outcome()
            if edited.status == 0 { held.withLock { $0.report.writes += 1 } }
        }
    }

    private func start(_ arguments: [String], _ home: Int) throws -> Program {
        let server = Server(url: relays[home].url, program: held.withLock { $0.server.program })
        return try workspace.start("shiftlog", arguments, home: "home-\(home)", server: server)
    }

    private func watch(_ home: Int) throws {
        let program = try start(["sync", "--watch"], home)
        held.withLock { $0.watchers[home] = program }
    }

    private func tellProgress(from start: ContinuousClock.Instant, until end: ContinuousClock.Instant) async throws {
        var next = start + .seconds(60)
        while next < end {
            try await RealTime.pass(until: next)
            let writes = held.withLock { $0.report.writes }
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            let files = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
            print(
                "homes: \(writes) writes in \(Int(seconds)) s (\(Int(Double(writes) / seconds))/s), \(files) files open"
            )
            next += .seconds(60)
        }
    }

    // MARK: - Faults

    private func hurt(_ home: Int, until end: ContinuousClock.Instant, _ random: SeededRandom) async throws {
        var random = random
        let relay = relays[home]
        while true {
            let next = ContinuousClock.now + .milliseconds(Int.random(in: 1000...15_000, using: &random))
            guard next < end else { return }
            try await RealTime.pass(until: next)
            let wait = Duration.milliseconds(Int.random(in: 500...12_000, using: &random))
            let watcher = held.withLock { $0.watchers[home] }
            switch Int.random(in: 0..<7, using: &random) {
            case 0: try await cut(relay, [.requests, .answers], "cuts", wait)
            case 1: try await cut(relay, .requests, "cuts of requests", wait)
            case 2: try await cut(relay, .answers, "cuts of answers", wait)
            case 3:
                relay.reset()
                count("resets")
            case 4:
                watcher?.signal(SIGSTOP)
                count("stops of a watcher")
                try await RealTime.pass(wait)
                watcher?.signal(SIGCONT)
            default:
                watcher?.signal(SIGKILL)
                count("kills of a watcher")
                _ = try await watcher?.outcome()
                try await RealTime.pass(wait / 4)
                try watch(home)
            }
            try reviveWatcher(home)
        }
    }

    private func cut(_ relay: Relay, _ cut: Relay.Cut, _ name: String, _ wait: Duration) async throws {
        relay.cut(cut)
        count(name)
        try await RealTime.pass(wait)
        relay.heal()
    }

    private func hurtServer(until end: ContinuousClock.Instant, _ random: SeededRandom) async throws {
        var random = random
        // A cluster has three parts to hurt.
        let pause = settings.replicas > 0 ? 3000...12_000 : 5000...25_000
        while true {
            let next = ContinuousClock.now + .milliseconds(Int.random(in: pause, using: &random))
            guard next < end else { return }
            try await RealTime.pass(until: next)
            let server = held.withLock { $0.server }
            if settings.replicas > 0 {
                try require(server.program.isRunning, "the cluster ended: \(server.program.errorsSoFar.suffix(300))")
                let (signal, name) = Cluster.faults[Int.random(in: 0..<Cluster.faults.count, using: &random)]
                server.program.signal(signal)
                count(name)
            } else if Bool.random(using: &random) {
                server.program.signal(SIGSTOP)
                count("stops of the server")
                try await RealTime.pass(milliseconds: 500...6000, using: &random)
                server.program.signal(SIGCONT)
            } else {
                server.program.signal(SIGKILL)
                count("kills of the server")
                _ = try await server.program.outcome()
                try await RealTime.pass(milliseconds: 0...3000, using: &random)
                let next = try await workspace.startServer(port: server.port, users: [])
                held.withLock { $0.server = next }
            }
        }
    }

    private func count(_ fault: String) { held.withLock { $0.report.faults[fault, default: 0] += 1 } }

    /// A watcher that gave up would leave its queue to nobody: that is told.
    private func reviveWatcher(_ home: Int) throws {
        guard let watcher = held.withLock({ $0.watchers[home] }), !watcher.isRunning else { return }
        held.withLock { $0.report.ended.append("home \(home): \(watcher.errorsSoFar.suffix(300))") }
        try watch(home)
    }

    // MARK: - The end

    /// Every home has something to send, and has tried to in vain.
    private func cutEverybodyOff() async throws {
        for relay in relays {
            relay.cut([.requests, .answers])
            relay.reset()
        }
        for home in 0..<settings.homes {
            let text = "home \(home) last"
            let added = try await start(["journal", "add", text, "--host", "h\(home)", "--offline"], home).outcome()
            try require(added.status == 0, "add: \(added.err)")
            _ = held.withLock { $0.acknowledged.insert(text) }
        }
        let end = ContinuousClock.now + .seconds(min(20, settings.seconds / 4))
        try await RealTime.pass(until: end)
    }

    private func heal() async throws {
        for home in 0..<settings.homes {
            relays[home].heal()
            held.withLock { $0.watchers[home] }?.signal(SIGCONT)
            try reviveWatcher(home)
        }
    }

    /// Waits until no home has anything left to send, without another write.
    private func drain() async throws {
        let healed = ContinuousClock.now
        var waiting: [Int] = []
        let isDrained = try await happens(within: settings.longestWait * 2) {
            waiting = try (0..<settings.homes).map { home in
                try Ledger(workspace, home: "home-\(home)").client { db in
                    try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM outbox WHERE state IN ('pending', 'inflight')") ?? 0
                }
            }
            return waiting.allSatisfy { $0 == 0 }
        }
        let waited = ContinuousClock.now - healed
        held.withLock { state in
            if isDrained {
                state.report.drained = waited
            } else {
                state.report.problems.append("stuck after \(waited): \(waiting)")
            }
        }
    }

    private func happens(within limit: Duration, _ condition: () async throws -> Bool) async throws -> Bool {
        do { try await eventually("every home is drained", within: limit, condition) } catch is NeverHappened {
            return false
        }
        return true
    }

    /// What a person does; several rounds, since the homes may disagree.
    private func settleConflicts() async throws {
        struct Conflict: Decodable { let id: String }
        for round in 0..<12 {
            for home in 0..<settings.homes {
                let listed = try await start(["conflicts", "list", "--json"], home).outcome()
                for conflict in try JSONDecoder().decode([Conflict].self, from: Data(listed.out.utf8)) {
                    let side = round % 2 == 0 ? "remote" : "local"
                    _ = try await start(["conflicts", "resolve", conflict.id, "--keep", side], home).outcome()
                    held.withLock { $0.report.conflicts += 1 }
                }
                let synced = try await start(["sync"], home).outcome()
                if ![0, 65].contains(synced.status) {
                    held.withLock { $0.report.problems.append("sync in home \(home): \(synced.err)") }
                }
            }
            let left = try (0..<settings.homes).map { try Ledger(workspace, home: "home-\($0)").waiting() }
            if round > 0, left.allSatisfy({ $0 == 0 }), try await isEqual() { return }
        }
        held.withLock { $0.report.problems.append("conflicts are left after twelve rounds") }
    }

    private func isEqual() async throws -> Bool {
        try await mirror()
        let there = try Ledger(workspace, home: "home-0").remoteEntries()
        return try (0..<settings.homes).allSatisfy {
            try Ledger(workspace, home: "home-\($0)").localEntries() == there
        }
    }

    /// Brings what a cluster stores to where the server's own file would be.
    private func mirror() async throws {
        if settings.replicas > 0 { try await Cluster.mirror(workspace) }
    }

    private func compare() async throws {
        try await mirror()
        let there = try Ledger(workspace, home: "home-0").remoteEntries()
        let texts = Set(there.map(\.text))
        let acknowledged = held.withLock { $0.acknowledged }
        var problems = acknowledged.subtracting(texts).sorted().prefix(5).map { "lost: \($0)" }
        if texts.count != there.count { problems.append("\(there.count - texts.count) texts are there twice") }
        for home in 0..<settings.homes {
            let ledger = Ledger(workspace, home: "home-\(home)")
            if try ledger.localEntries() != there { problems.append("home \(home) has other rows than the server") }
            problems += try ledger.problems(acknowledged: shared).map { "home \(home): \($0)" }
        }
        held.withLock { state in
            state.report.problems += problems
            state.report.rows = there.count
        }
    }
}
