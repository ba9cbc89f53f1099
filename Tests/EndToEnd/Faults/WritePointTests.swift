import Foundation
import Testing

/// Real programs, killed at each call that changes a file: once in its place, once in the middle of the write. What was
/// acknowledged is then looked for in both databases, before and after the next run.
///
/// `STRATA_POINTS` says how many points lie between two that are tried (default 11, another beginning in each way of
/// dying); with 1, which `Scripts/chaos points` sets, every point is tried.
@Suite(.serialized) struct `A kill at a write point` {
    @Test(arguments: [Faults.How.before, .torn])
    func `a killed 'journal add' leaves all of the entry or nothing`(how: Faults.How) async throws {
        let stage = try await Stage()
        try await stage.points(how, ["journal", "add", "new \(how) POINT", "--host", "web1", "--offline"]) { _ in
            try await stage.note(["--severity", "warning", "--offline"])
        }
        try await stage.settle()
    }

    @Test(arguments: [Faults.How.before, .torn])
    func `a kill while the database is created leaves one that can be used`(
        how: Faults.How
    ) async throws {
        let stage = try await Stage()
        try await stage.points(how, ["journal", "add", "first \(how) POINT", "--host", "web1", "--offline"]) { _ in
            try? FileManager.default.removeItem(atPath: "\(stage.state)/journal")
        } after: {
            try await stage.note(["--offline"])
            for id in stage.acknowledged { stage.release(id) }
        }
        try await stage.settle()
    }

    @Test(arguments: [Faults.How.before, .torn])
    func `a sync after a killed one sends the rest, and nothing twice`(how: Faults.How) async throws {
        let stage = try await Stage()
        try await stage.login("other")
        try await stage.points(how, ["sync"]) { point in
            // Something to send of every kind, and something to fetch.
            try await stage.note(["--offline"])
            try await stage.edit(["--severity", "critical", "--offline"])
            if point % 3 == 0 { try await stage.removeOldest() }
            let theirs = ["journal", "add", "theirs \(how) \(point)", "--host", "db1"]
            try require(
                try await stage.workspace.shiftlog(theirs, home: "other", server: stage.server).status == 0, "theirs")
        } after: {
            try await stage.settle()
        }
    }

    @Test(arguments: ["local", "remote"], [Faults.How.before, .torn])
    func `a killed 'conflicts resolve' keeps the conflict or ends it`(side: String, how: Faults.How) async throws {
        let stage = try await Stage()
        let conflict = try await stage.conflict()
        try stage.keep()
        try await stage.points(how, ["conflicts", "resolve", conflict, "--keep", side, "--offline"]) { _ in
            try stage.putBack()
        }
        // The last run was not killed: it counts, once.
        try await stage.settle(otherHome: true)
        let text = try stage.ledger.remoteEntries().first { $0.id == stage.disputed }?.text
        #expect(text == (side == "local" ? "mine" : "theirs"))
    }

    @Test(arguments: [Faults.How.before, .torn])
    func `a killed 'outbox discard' gives up the write with its effect, or neither`(how: Faults.How) async throws {
        let stage = try await Stage()
        let kept = try await stage.note(["--offline"])
        let dropped = try await stage.add("given up", ["--offline"])
        let entry = try #require(try stage.queued(dropped))
        stage.release(dropped)
        try stage.keep()
        try await stage.points(how, ["outbox", "discard", entry, "--offline"]) { _ in
            try stage.putBack()
        } after: {
            let rows = Set(try stage.ledger.localEntries().map(\.id))
            let isQueued = try stage.queued(dropped) != nil
            #expect(rows.contains(dropped) == isQueued)
            #expect(rows.contains(kept))
        }
        try await stage.settle()
        #expect(try stage.ledger.remoteEntries().map(\.id) == [kept])
    }

    @Test(arguments: [Faults.How.before, .torn])
    func `a sync after a kill of the server completes the batch of mutations`(how: Faults.How) async throws {
        let stage = try await Stage()
        try await stage.serverPoints(how, every: WritePoints.stride) {
            try await stage.note(["--offline"])
            try await stage.note(["--severity", "warning", "--offline"])
            try await stage.edit(["--text", "edited \(UUID().uuidString)", "--offline"])
            try await stage.removeOldest()
        }
        try await stage.settle()
    }

    @Test(arguments: [1, 9, 20, 35])
    func `a disk that fills up at any write loses no entry, and the next sync with room goes on`(
        point: Int
    ) async throws {
        let stage = try await Stage()
        try await stage.login("other")
        let theirs = (0..<30).map { "theirs \($0)" }.joined(separator: "\n")
        let file = try stage.workspace.write(theirs, to: "theirs.log")
        try require(
            try await stage.workspace.shiftlog(
                ["journal", "import", file, "--host", "db1"], home: "other", server: stage.server
            ).status == 0, "theirs")
        try await stage.note(["--offline"])
        let faults = Faults(under: stage.state, at: point, how: .full)
        let full = try await stage.workspace.start(
            "shiftlog", ["sync"], server: stage.server, variables: try faults.variables()
        ).outcome()
        #expect(!full.wasSignalled, "\(full.err)")
        if full.status != 0 { #expect(full.err.contains("disk"), "\(full.err)") }
        let problems = try stage.problems()
        #expect(problems == [])
        try await stage.settle()
        #expect(try stage.ledger.localEntries().count == 31)
    }
}
