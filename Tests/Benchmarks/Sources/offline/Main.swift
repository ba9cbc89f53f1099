import FoundationEssentials
import GRDB
import StrataDomain
import StrataOffline

#if canImport(Glibc)
    import Glibc
#endif

/// Times the offline store: a snapshot over loopback against bare inserts, its memory and its interruption, a local write
/// against a bare transaction, a delta on a large store, and the cost of a row at four sizes.
@main struct Main {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch arguments.first {
        case "prepare": return try await Server.prepare(arguments[1], count: Int(arguments[2]) ?? 0)
        case "serve": return try await Server.serve(arguments[1])
        case "copy": return try await copy(arguments[1], port: Int(arguments[2]) ?? 0)
        default: break
        }
        let rounds = arguments.first.flatMap(Int.init) ?? 5
        let directory = FileManager.default.temporaryDirectory.path + "/strata-bench-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let bench = Bench(directory: directory, rounds: rounds)
        do { try await bench.run() } catch {
            try? FileManager.default.removeItem(atPath: directory)
            throw error
        }
        try? FileManager.default.removeItem(atPath: directory)
        say(bench.isEnough ? "all goals are met" : "a goal is missed")
        if !bench.isEnough { exit(1) }
    }

    /// One snapshot, or the rest of one, in a process of its own: its time, and what it took of memory.
    private static func copy(_ path: String, port: Int) async throws {
        let client = try await Client(path, port: port) { say("rows \($0)") }
        _ = try await client.store.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM log") }
        // The peak counts from here.
        try? Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
        let (before, start, work) = (memory("VmRSS"), seconds(), processor())
        let report = try await client.engine.sync()
        let took = seconds() - start
        say("done \(report.pulled) \(took) \(memory("VmHWM") - before) \(processor() - work)")
        try await client.close()
    }
}
