import Foundation
import StrataTesting

/// The memory of a process in KiB, as the kernel counts it.
enum PeakMemory {
    /// The most that the process has had since its start, or since `forgotten(of:)`.
    static func mark(of id: Int32) throws -> Int { try status("VmHWM", of: id) }

    /// The most that the program had: its mark, read until it is over.
    static func untilEnd(of program: Program) async throws -> Int {
        var peak = 0
        try await eventually("the program ends", within: .seconds(600)) {
            peak = max(peak, (try? mark(of: program.id)) ?? 0)
            return !program.isRunning
        }
        try require(peak > 0, "the process ended unseen")
        return peak
    }

    /// What the process has now, from which its mark starts anew: hashing a password at the login has raised it.
    static func forgotten(of id: Int32) throws -> Int {
        // 5 resets the mark (proc_pid_clear_refs(5)).
        let file = try FileHandle(forWritingTo: URL(filePath: "/proc/\(id)/clear_refs"))
        try file.write(contentsOf: Data("5".utf8))
        try file.close()
        let now = try status("VmRSS", of: id)
        try require(try mark(of: id) <= now + 1024, "the mark was not reset")
        return now
    }

    /// A line of `/proc/PID/status`, in KiB.
    private static func status(_ name: String, of id: Int32) throws -> Int {
        let text = try String(contentsOf: URL(filePath: "/proc/\(id)/status"), encoding: .utf8)
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(name + ":") }),
            let value = Int(line.filter(\.isNumber))
        else { throw EndToEndError("no \(name) of process \(id)") }
        return value
    }
}
