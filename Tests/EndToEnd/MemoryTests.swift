import Foundation
import StrataTesting
import Testing

/// Files of any size go through in constant memory. `STRATA_LARGE=1` sends 1 GiB, otherwise it is 64 MiB.
@Suite(.serialized) struct MemoryTests {
    static let isLarge = ProcessInfo.processInfo.environment["STRATA_LARGE"] == "1"
    private static let mebibytes = isLarge ? 1024 : 64
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
        let served = try PeakMemory.forgotten(of: bench.program.id)
        let largeUp = try await peak(bench, ["attachments", "add", bench.entry, large])
        let servedUp = try PeakMemory.mark(of: bench.program.id)
        let largeDown = try await peak(bench, ["attachments", "get", try await newest(bench), "-o", target])
        let servedDown = try PeakMemory.mark(of: bench.program.id)

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

    /// The most memory that the command had, in KiB.
    private func peak(_ bench: AttachmentBench, _ arguments: [String]) async throws -> Int {
        let program = try bench.start(arguments)
        let peak = try await PeakMemory.untilEnd(of: program)
        let outcome = try await program.outcome()
        try require(outcome.status == 0, "\(arguments): \(outcome.err)")
        return peak
    }
}
