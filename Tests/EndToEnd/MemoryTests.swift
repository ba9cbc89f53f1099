import Foundation
import StrataTesting
import Testing

/// Files of any size go through in constant memory. `STRATA_LARGE=1` sends 1 GiB, otherwise it is 64 MiB.
@Suite(.serialized) struct MemoryTests {
    static let mebibytes = ProcessInfo.processInfo.environment["STRATA_LARGE"] == "1" ? 1024 : 64
    /// KiB that a transfer may take more than one of a few bytes.
    static let bound = 32 * 1024

    @Test func `a large file goes up and down with at most 32 MiB of extra memory on either side`() async throws {
        let limit = String((Self.mebibytes + 1) << 20)
        let bench = try await AttachmentBench(settings: ["SHIFTLOG_ATTACHMENT_BYTES": limit])
        let small = try bench.workspace.write("a few bytes\n", to: "small.txt")
        let (large, digest) = try await bench.file("large.bin", mebibytes: Self.mebibytes)
        let target = bench.workspace.root + "/back.bin"

        let smallUp = try await peak(bench, ["attachments", "add", bench.entry, small])
        let smallDown = try await peak(bench, ["attachments", "get", try await newest(bench), "-o", target])
        let served = try Self.forgottenPeak(of: bench.program.id)
        let largeUp = try await peak(bench, ["attachments", "add", bench.entry, large])
        let servedUp = try Self.status("VmHWM", of: bench.program.id)
        let largeDown = try await peak(bench, ["attachments", "get", try await newest(bench), "-o", target])
        let servedDown = try Self.status("VmHWM", of: bench.program.id)

        #expect(try await sha256(ofFileAt: target) == digest)
        #expect(fileSize(target) == Self.mebibytes << 20)
        print(
            """
            memory: \(Self.mebibytes) MiB up and down, peaks in KiB:
              client up \(smallUp) → \(largeUp), client down \(smallDown) → \(largeDown)
              server \(served) → \(servedUp) after the upload → \(servedDown) after the download
            """)
        #expect(largeUp - smallUp <= Self.bound)
        #expect(largeDown - smallDown <= Self.bound)
        #expect(servedDown - served <= Self.bound)
    }

    private func newest(_ bench: AttachmentBench) async throws -> String {
        try #require(try await bench.list().last).id
    }

    /// The most memory that the command had, in KiB: the kernel's own mark, read until the process is over.
    private func peak(_ bench: AttachmentBench, _ arguments: [String]) async throws -> Int {
        let program = try bench.start(arguments)
        var peak = 0
        try await eventually("the program ends", within: .seconds(600)) {
            peak = max(peak, (try? Self.status("VmHWM", of: program.id)) ?? 0)
            return !program.isRunning
        }
        let outcome = try await program.outcome()
        try require(outcome.status == 0, "\(arguments): \(outcome.err)")
        try require(peak > 0, "the process ended unseen")
        return peak
    }

    /// What the process has now, in KiB, from which its mark starts anew: hashing a password at the login has raised it.
    private static func forgottenPeak(of id: Int32) throws -> Int {
        // 5 resets the mark (proc_pid_clear_refs(5)).
        let file = try FileHandle(forWritingTo: URL(filePath: "/proc/\(id)/clear_refs"))
        try file.write(contentsOf: Data("5".utf8))
        try file.close()
        let now = try status("VmRSS", of: id)
        try require(try status("VmHWM", of: id) <= now + 1024, "the mark was not reset")
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
