import Foundation
import StrataTesting
import Testing

/// Client or server, killed whenever. `STRATA_MOMENTS` says how often (default 25; `Scripts/chaos kills 1000`).
@Suite(.serialized) struct `A kill at any moment` {
    private static let moments = ProcessInfo.processInfo.environment["STRATA_MOMENTS"].flatMap { Int($0) } ?? 25

    private enum Victim: String { case client, server, both }

    @Test
    func
        `a kill at any moment loses no acknowledged write, applies none twice, and leaves no cursor ahead of the rows`()
        async throws
    {
        let stage = try await Stage()
        var random = SeededRandom.ofRun("a kill at any moment")
        var kills: [Victim: Int] = [:]
        let began = ContinuousClock.now
        // How long a run takes that nobody disturbs, more or less.
        var usual = Duration.milliseconds(300)
        for moment in 0..<Self.moments {
            let victim: Victim =
                Int.random(in: 0..<5, using: &random) == 0 ? .server : moment % 7 == 0 ? .both : .client
            let arguments = try await command(moment, stage)
            let start = ContinuousClock.now
            let program = try stage.workspace.start("shiftlog", arguments, server: stage.server)
            let wait = usual * Double.random(in: 0...1.1, using: &random)
            try await RealTime.pass(wait)
            if victim != .server { program.signal(SIGKILL) }
            if victim != .client { stage.server.program.signal(SIGKILL) }
            let outcome = try await program.outcome()
            if outcome.status == 0, !outcome.wasSignalled {
                if arguments[1] == "add" { try stage.acknowledge(outcome.out) }
                if victim != .both { usual = (usual * 3 + (ContinuousClock.now - start)) / 4 }
            }
            if outcome.wasSignalled || victim != .client { kills[victim, default: 0] += 1 }
            if victim != .client { try await stage.restartServer() }
            let problems = try stage.problems()
            #expect(problems == [], "moment \(moment), \(arguments)")
            let accepted = accepted(in: outcome.out)
            if accepted > 0 {
                let stored = try stage.ledger.localEntries().count { $0.text.hasPrefix("moment \(moment) line ") }
                #expect(stored >= accepted, "moment \(moment)")
            }
            if moment % 10 == 9 { try await stage.settle() }
            guard moment % 100 == 99 else { continue }
            let seconds = (ContinuousClock.now - began) / .seconds(1)
            WritePoints.tell(
                "\(moment + 1) moments in \(Int(seconds)) s, \(Int(seconds * 1000) / (moment + 1)) ms each")
        }
        try await stage.settle()
        let texts = try stage.ledger.remoteEntries().map(\.text)
        #expect(Set(texts).count == texts.count, "each text was written once")
        let list = kills.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.value) of \($0.key)" }
        WritePoints.tell(
            "random moments: \(Self.moments), kills: \(list.joined(separator: ", ")), "
                + "\(stage.acknowledged.count) entries acknowledged")
        #expect(!kills.isEmpty)
    }

    /// The last `accepted N` that an import printed.
    private func accepted(in output: String) -> Int {
        output.split(separator: "\n").compactMap { line in
            line.hasPrefix("accepted ") ? Int(line.dropFirst(9).prefix { $0.isNumber }) : nil
        }.last ?? 0
    }

    /// What is under way when the kill comes.
    private func command(_ moment: Int, _ stage: Stage) async throws -> [String] {
        switch moment % 4 {
        case 0: return ["journal", "add", "moment \(moment)", "--host", "web1", "--json"]
        case 1: return ["journal", "add", "moment \(moment)", "--host", "web1", "--json", "--offline"]
        case 2:
            // The first one has several batches.
            let lines = (0..<(moment == 2 ? 1200 : 5)).map { "moment \(moment) line \($0)" }.joined(separator: "\n")
            return ["journal", "import", try stage.workspace.write(lines, to: "moment.log"), "--host", "web1"]
        default:
            try await stage.note(["--offline"])
            try await stage.edit(["--severity", ["info", "warning", "critical"][moment % 3], "--offline"])
            return ["sync", "--timeout", "5"]
        }
    }
}
