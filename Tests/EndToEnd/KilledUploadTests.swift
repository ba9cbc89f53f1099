import Foundation
import StrataTesting
import Testing

/// An upload whose client and server are killed in turn. `STRATA_LARGE=1` sends 1 GiB, otherwise it is 24 MiB.
@Suite(.serialized) struct KilledUploadTests {
    private static let kills = 5
    private static let mebibytes = MemoryTests.isLarge ? 1024 : 24
    private static let size = mebibytes << 20
    /// What the server stores at once, and what it may lose.
    private static let piece = 1 << 20
    /// The heads of the requests of one run, and what one read of a connection brings beyond a piece.
    private static let heads = 1 << 16

    @Test func `an upload that is killed five times arrives whole, and each kill costs at most a piece`() async throws {
        let limit = String(Self.size + (1 << 20))
        let bench = try await AttachmentBench(settings: ["SHIFTLOG_ATTACHMENT_BYTES": limit], isRelayed: true)
        let relay = try #require(bench.relay)
        let small = try bench.workspace.write("a few bytes\n", to: "small.txt")
        let (path, digest) = try await bench.file("dump.bin", mebibytes: Self.mebibytes)
        let resting = try await finished(bench, adding: small).peak
        var served = try PeakMemory.forgotten(of: bench.program.id)
        let before = relay.requestBytes
        var (clientGrowth, serverGrowth) = (0, 0)

        for number in 0..<Self.kills {
            let (stored, passed) = (try await bench.storedBytes(), relay.requestBytes)
            var arrived: Int { stored + relay.requestBytes - passed }
            relay.hold(at: Self.size / (Self.kills + 1))
            let adding = try bench.start(["attachments", "add", bench.entry, path])
            try await eventually("a part of the file is sent", within: .seconds(600)) {
                relay.isHeld || !adding.isRunning
            }
            try require(adding.isRunning, "the upload ended early: \(adding.errorsSoFar)")
            try await eventually("the server has stored what arrived, but less than a piece") {
                try await bench.storedBytes() + Self.piece + Self.heads > arrived
            }
            clientGrowth = max(clientGrowth, try PeakMemory.mark(of: adding.id) - resting)
            serverGrowth = max(serverGrowth, try PeakMemory.mark(of: bench.program.id) - served)

            if number.isMultiple(of: 2) {
                adding.signal(SIGKILL)
                _ = try await adding.outcome()
                try await eventually("the connections have ended") { relay.isIdle }
                try await eventually("the server keeps all that arrived") {
                    try await bench.storedBytes() + Self.heads > arrived
                }
            } else {
                bench.kill()
                let broken = try await adding.outcome()
                #expect(broken.status == 69 && broken.err.contains("kept"), "\(broken.err)")
                try await eventually("the connections have ended") { relay.isIdle }
                try await bench.restart()
                // A process that has answered nothing yet has not loaded all of its code.
                _ = try await finished(bench, adding: small)
                served = try PeakMemory.forgotten(of: bench.program.id)
            }
        }

        relay.hold(at: nil)
        let last = try await finished(bench, adding: path)
        clientGrowth = max(clientGrowth, last.peak - resting)
        serverGrowth = max(serverGrowth, try PeakMemory.mark(of: bench.program.id) - served)
        let sent = relay.requestBytes - before
        print(
            """
            killed upload: \(Self.mebibytes) MiB, \(Self.kills) kills, \(sent - Self.size) bytes sent beyond it;
              growth in KiB: client \(clientGrowth), server \(serverGrowth)
            """)
        #expect(last.text.contains("Went on from byte"), "\(last.text)")
        #expect(sent >= Self.size && sent <= Self.size + Self.kills * (Self.piece + Self.heads) + Self.heads)
        #expect(clientGrowth <= MemoryTests.bound && serverGrowth <= MemoryTests.bound)

        let attachment = try #require(try await bench.list().last)
        #expect(attachment.digest == "sha-256=:\(AttachmentBench.base64(hex: digest)):")
        let target = bench.workspace.root + "/back.bin"
        let got = try await bench.run(["attachments", "get", attachment.id, "-o", target])
        #expect(got.status == 0, "\(got.err)")
        #expect(try await sha256(ofFileAt: target) == digest)
    }

    /// The output of an upload that succeeds, and the most memory of its client in KiB.
    private func finished(_ bench: AttachmentBench, adding path: String) async throws -> (peak: Int, text: String) {
        let program = try bench.start(["attachments", "add", bench.entry, path])
        let peak = try await PeakMemory.untilEnd(of: program)
        let outcome = try await program.outcome()
        try require(outcome.status == 0, "attachments add: \(outcome.err)")
        return (peak, outcome.out + outcome.err)
    }
}
