import FoundationEssentials
import GRDB
import StrataDomain
import StrataOffline

#if canImport(Glibc)
    import Glibc
#endif

/// Runs everything and compares it with the goals.
final class Bench {
    private let directory: String
    private let rounds: Int
    private(set) var isEnough = true

    init(directory: String, rounds: Int) { (self.directory, self.rounds) = (directory, rounds) }

    func run() async throws {
        try await firstCopy()
        try await interruption()
        try await localWrites()
        try await delta()
        try await sizes()
    }

    // MARK: - Parts

    private func firstCopy() async throws {
        let count = 100_000
        let rates = try await withServer(count) { port in
            var rates: [(copy: Copy, bare: Inserts, both: Inserts)] = []
            for round in 0..<rounds {
                let copy = try copy("copy-\(round)", port)
                guard copy.rows == count else { throw CocoaError(.fileReadCorruptFile) }
                rates.append(
                    (
                        copy, try bareInserts(count, "bare-\(round)", withBase: false),
                        try bareInserts(count, "both-\(round)", withBase: true)
                    ))
            }
            return rates
        }
        let ours = median(rates.map { Double(count) / $0.copy.seconds })
        let bare = median(rates.map(\.bare.rate))
        judge(
            "snapshot of \(count) rows over loopback", "\(Int(ours)) rows/s", "at least 150000", ours >= 150_000)
        judge(
            "  against bare prepared inserts into the row's table (\(Int(bare)) rows/s)",
            "ratio \(shown(ours / bare))", "at least 0.50", ours / bare >= 0.5)
        let work = { (seconds: [Double]) in self.shown(self.median(seconds) * 1e6 / Double(count)) }
        say(
            """
                for comparison: bare inserts into both tables \(Int(median(rates.map(\.both.rate)))) rows/s; time of the \
            processor for a row: copy \(work(rates.map(\.copy.work))) µs, bare \(work(rates.map(\.bare.work))) µs, \
            bare into both \(work(rates.map(\.both.work))) µs
            """)
        let most = rates.map(\.copy.kilobytes).max() ?? 0
        judge("  peak of extra memory", "\(shown(Double(most) / 1024)) MB", "at most 64", most <= 64 << 10)
    }

    private func interruption() async throws {
        let count = 100_000
        try await withServer(count) { port in
            let path = "\(directory)/cut.sqlite"
            let child = try Child(["copy", path, "\(port)"])
            _ = try child.line("rows ")
            child.kill()
            let database = try await Client(path, port: port)
            let kept = try await database.store.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM log") ?? 0 }
            try await database.close()
            let rest = try copy("cut", port)
            judge(
                "snapshot killed on its way", "\(kept) rows were kept, \(rest.rows) came then", "together \(count)",
                kept > 0 && kept < count && kept + rest.rows == count)
        }
    }

    private func localWrites() async throws {
        let count = 400
        var ratios: [Double] = []
        var figures: (ours: [Double], bare: [Double]) = ([], [])
        var work: (ours: [Double], bare: [Double]) = ([], [])
        let client = try await Client("\(directory)/local.sqlite", port: 1)
        let bare = try Bare("\(directory)/local-bare.sqlite")
        try bare.run(LogRow.table)
        let insert = try bare.prepare("INSERT INTO log VALUES (?, ?, ?, ?, ?, NULL, ?, ?)")
        for round in 0..<rounds {
            let samples = (0..<count).map { Sample(number: round * count + $0) }
            var (start, worked) = (seconds(), processor())
            for sample in samples {
                try await client.store.create(
                    "logs", sample.id,
                    [
                        "host": .string(sample.host), "severity": .string(sample.severity),
                        "text": .string(sample.text),
                        "occurred_at": .string("2026-11-21T09:05:00.250Z"),
                    ])
            }
            let ours = Double(count) / (seconds() - start)
            work.ours.append(processor() - worked)
            (start, worked) = (seconds(), processor())
            for sample in samples {
                try bare.run("BEGIN IMMEDIATE")
                try insert.run(
                    [sample.id, sample.host, sample.severity, sample.text], [sample.occurredAt, 0, sample.occurredAt])
                try bare.run("COMMIT")
            }
            let other = Double(count) / (seconds() - start)
            work.bare.append(processor() - worked)
            ratios.append(ours / other)
            figures.ours.append(ours)
            figures.bare.append(other)
        }
        try await client.close()
        judge(
            "local write with outbox (\(Int(median(figures.ours)))/s) against a bare transaction "
                + "(\(Int(median(figures.bare)))/s), both on the disk",
            "ratio \(shown(median(ratios)))", "at least 0.50", median(ratios) >= 0.5)
        let micros = { (seconds: [Double]) in self.shown(self.median(seconds) * 1e6 / Double(count)) }
        say(
            "    time of the processor for a write: with outbox \(micros(work.ours)) µs, bare \(micros(work.bare)) µs")
    }

    private func delta() async throws {
        let count = 500_000
        try await withServer(count) { port in
            _ = try copy("delta", port)
            let client = try await Client("\(directory)/delta.sqlite", port: port)
            _ = try await client.engine.sync()
            var times: [Double] = []
            for number in 0..<max(20, rounds * 10) {
                try await client.writeElsewhere(count + number)
                let start = seconds()
                let report = try await client.engine.sync()
                times.append((seconds() - start) * 1000)
                guard report.pulled == 1 else { throw CocoaError(.fileReadCorruptFile) }
            }
            try await client.close()
            let sorted = times.sorted()
            judge(
                "one row on top of \(count), the whole run with its requests (p95 \(shown(sorted[sorted.count * 19 / 20])) ms)",
                "p50 \(shown(median(times))) ms", "at most 5", median(times) <= 5)
        }
        try remove("delta")
    }

    private func sizes() async throws {
        var costs: [Double] = []
        for count in [10_000, 100_000, 500_000, 1_000_000] {
            let cost = try await withServer(count) { port in
                var costs: [Double] = []
                for _ in 0..<(count < 500_000 ? 5 : 2) {
                    let copy = try copy("size", port)
                    costs.append(copy.seconds * 1e6 / Double(count))
                    say("    \(count) rows: \(shown(costs[costs.count - 1])) µs a row, \(copy.kilobytes >> 10) MB")
                    try remove("size")
                }
                return costs.min() ?? 0
            }
            costs.append(cost)
        }
        let ratio = (costs.max() ?? 0) / (costs.min() ?? 1)
        judge(
            "cost of a row from 10000 to 1000000 (\(costs.map(shown).joined(separator: ", ")) µs)",
            "largest to smallest \(shown(ratio))", "at most 1.50", ratio <= 1.5)
    }

    // MARK: - Tools

    struct Copy {
        var rows: Int
        var seconds: Double
        var kilobytes: Int
        /// Time of the processor in seconds, without the server's.
        var work: Double
    }

    /// A snapshot in a process of its own.
    private func copy(_ name: String, _ port: Int) throws -> Copy {
        let said = try Child(["copy", "\(directory)/\(name).sqlite", "\(port)"]).wait()
        let parts = said.split(separator: "\n").last { $0.hasPrefix("done ") }?.split(separator: " ") ?? []
        guard parts.count == 5, let rows = Int(parts[1]), let seconds = Double(parts[2]), let memory = Int(parts[3]),
            let work = Double(parts[4])
        else { throw CocoaError(.fileReadCorruptFile) }
        return Copy(rows: rows, seconds: seconds, kilobytes: memory, work: work)
    }

    struct Inserts {
        /// Rows a second.
        var rate: Double
        var work: Double
    }

    /// Inserts rows in transactions of as many as the engine stores at once.
    private func bareInserts(_ count: Int, _ name: String, withBase: Bool) throws -> Inserts {
        let bare = try Bare("\(directory)/\(name).sqlite")
        try bare.run(LogRow.table)
        try bare.run(
            """
            CREATE TABLE base_row (
                collection TEXT NOT NULL, entity_id TEXT NOT NULL, version INTEGER NOT NULL, updated_at INTEGER NOT NULL,
                data TEXT NOT NULL, round INTEGER NOT NULL, checksum INTEGER NOT NULL,
                PRIMARY KEY (collection, entity_id)) WITHOUT ROWID
            """)
        let insert = try bare.prepare("INSERT INTO log VALUES (?, ?, ?, ?, ?, NULL, ?, ?)")
        let other = try bare.prepare(
            "INSERT INTO base_row (collection, entity_id, data, version, updated_at, round, checksum) VALUES (?, ?, ?, ?, ?, 1, 7)"
        )
        let samples = (0..<count).map { number in
            let sample = Sample(number: number)
            return (
                sample.id, sample.host, sample.severity, sample.text, sample.occurredAt,
                "{\"host\":\"\(sample.host)\",\"occurred_at\":\"2026-11-21T09:05:00.250Z\",\"severity\":\"\(sample.severity)\",\"text\":\"\(sample.text)\"}"
            )
        }
        let (start, work) = (seconds(), processor())
        for first in stride(from: 0, to: count, by: 10_000) {
            try bare.run("BEGIN IMMEDIATE")
            for index in first..<min(count, first + 10_000) {
                let (id, host, severity, text, at, data) = samples[index]
                try insert.run([id, host, severity, text], [at, index + 1, at])
                if withBase { try other.run(["logs", id, data], [index + 1, at]) }
            }
            try bare.run("COMMIT")
        }
        return Inserts(rate: Double(count) / (seconds() - start), work: processor() - work)
    }

    private func withServer<Value>(_ count: Int, _ body: (Int) async throws -> Value) async throws -> Value {
        let path = "\(directory)/server-\(count).sqlite"
        if !FileManager.default.fileExists(atPath: path) { try await Server.prepare(path, count: count) }
        let child = try Child(["serve", path])
        defer { child.kill() }
        guard let port = Int(try child.line("port ")) else { throw CocoaError(.fileReadCorruptFile) }
        return try await body(port)
    }

    private func remove(_ name: String) throws {
        for end in ["", "-wal", "-shm", ".sync-lock", ".open-lock"] {
            try? FileManager.default.removeItem(atPath: "\(directory)/\(name).sqlite\(end)")
        }
    }

    private func judge(_ subject: String, _ figure: String, _ goal: String, _ isMet: Bool) {
        say("\(isMet ? "met   " : "MISSED") \(subject): \(figure) (goal: \(goal))")
        if !isMet { isEnough = false }
    }

    private func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? 0 : (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }

    private func shown(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
    }
}
