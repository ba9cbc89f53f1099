import Foundation
import GRDB
import StrataConcurrency
import StrataTesting
import Testing

/// A server, a home that is logged in, and what it was told to be stored.
final class Stage: Sendable {
    private struct State {
        var server: Server
        var acknowledged: [String] = []
        var number = 0
        var disputed = ""
    }

    let workspace: Workspace
    private let held: Mutex<State>

    var server: Server { held.withLock { $0.server } }
    var ledger: Ledger { Ledger(workspace) }
    /// Where the home keeps what must not be lost.
    var state: String { "\(workspace.root)/home/state" }
    /// Id of the entry in conflict.
    var disputed: String { held.withLock { $0.disputed } }
    var acknowledged: [String] { held.withLock { $0.acknowledged } }

    init() async throws {
        workspace = try Workspace()
        held = Mutex(State(server: try await workspace.startServer()))
        try await login()
    }

    func login(_ home: String = "home") async throws {
        try await workspace.loginPatiently(home: home, server: server)
    }

    deinit { server.program.signal(SIGKILL) }

    // MARK: - What a person does

    /// Adds an entry with a text that no other has.
    @discardableResult
    func note(_ options: [String]) async throws -> String {
        let number = held.withLock { state in
            state.number += 1
            return state.number
        }
        return try await add("note \(number)", options)
    }

    func add(_ text: String, _ options: [String]) async throws -> String {
        let added = try await workspace.shiftlog(
            ["journal", "add", text, "--host", "web1", "--json"] + options, server: server)
        try require(added.status == 0, "add: \(added.err)")
        return try acknowledge(added.out)
    }

    /// Takes note of an entry that `journal add --json` said is stored.
    @discardableResult
    func acknowledge(_ output: String) throws -> String {
        struct Entry: Decodable { let id: String }
        let id = try JSONDecoder().decode(Entry.self, from: Data(output.utf8)).id
        held.withLock { $0.acknowledged.append(id) }
        return id
    }

    /// From now on the entry may be gone.
    func release(_ id: String) { held.withLock { $0.acknowledged.removeAll { $0 == id } } }

    /// Edits the youngest entry but one, which the server mostly has.
    func edit(_ options: [String]) async throws {
        guard let id = acknowledged.dropLast().last ?? acknowledged.last else { return }
        let edited = try await workspace.shiftlog(["journal", "edit", id] + options, server: server)
        try require(edited.status == 0, "edit: \(edited.err)")
    }

    /// Deletes the oldest entry there still is.
    func removeOldest() async throws {
        guard acknowledged.count > 3 else { return }
        let id = held.withLock { $0.acknowledged.removeFirst() }
        let removed = try await workspace.shiftlog(["journal", "rm", id, "--offline"], server: server)
        try require(removed.status == 0, "delete: \(removed.err)")
    }

    /// Edits one text here and in another home, so that a person has to choose.
    ///
    /// - Returns: The id of the conflict.
    func conflict() async throws -> String {
        struct Conflict: Decodable { let id: String }
        try await login("other")
        let id = try await add("agreed", [])
        try await sync()
        try require(try await workspace.shiftlog(["sync"], home: "other", server: server).status == 0, "sync")
        let theirs = ["journal", "edit", id, "--text", "theirs"]
        try require(try await workspace.shiftlog(theirs, home: "other", server: server).status == 0, "theirs")
        try require(try await workspace.shiftlog(["sync"], home: "other", server: server).status == 0, "sync")
        try await edit(["--text", "mine", "--offline"])
        _ = try await workspace.shiftlog(["sync"], server: server)
        let listed = try await workspace.shiftlog(["conflicts", "list", "--json"], server: server)
        held.withLock { $0.disputed = id }
        return try #require(try JSONDecoder().decode([Conflict].self, from: Data(listed.out.utf8)).first).id
    }

    /// Id of the queued write to an entry, if there is one.
    func queued(_ entry: String) throws -> String? {
        let sql = "SELECT mutation_id FROM outbox WHERE entity_id = ?"
        return try ledger.client { try String.fetchOne($0, sql: sql, arguments: [entry]) }
    }

    func sync() async throws {
        let synced = try await workspace.shiftlog(["sync"], server: server)
        try require(synced.status == 0, "sync: \(synced.err)")
    }

    // MARK: - Kills

    func problems() throws -> [String] { try ledger.problems(acknowledged: acknowledged) }

    /// Runs the program again and again, each time with its death at a later call, until it gets through.
    ///
    /// - Parameters:
    ///   - arguments: In which `POINT` stands for the number of the call.
    ///   - before: Prepares the next run.
    ///   - after: Follows each look into the databases.
    func points(
        _ how: Faults.How, _ arguments: [String], before: (Int) async throws -> Void,
        after: () async throws -> Void = {}
    ) async throws {
        var point = how == .torn ? 1 + WritePoints.stride / 2 : 1
        var kills = 0
        let words = arguments.prefix(2).joined(separator: " ")
        try await eventually("'\(words)' gets through without its death") {
            try await before(point)
            let faults = Faults(under: state, at: point, how: how)
            let outcome = try await workspace.start(
                "shiftlog", arguments.map { $0.replacing("POINT", with: "\(point)") }, server: server,
                variables: try faults.variables()
            ).outcome()
            let problems = try problems()
            #expect(problems == [], "point \(point), \(how)")
            try await after()
            guard outcome.wasSignalled else {
                #expect(outcome.status == 0, "\(outcome.err)")
                return true
            }
            kills += 1
            point += WritePoints.stride
            return false
        }
        WritePoints.tell("\(words), \(how): \(kills) kills, \(point) points")
        #expect(kills > 0)
    }

    /// Lets the server die at a later call each time, while the home sends what `before` wrote, until it gets through.
    func serverPoints(_ how: Faults.How, every stride: Int, before: () async throws -> Void) async throws {
        let armed = "\(workspace.root)/armed"
        var point = how == .torn ? 1 + stride / 2 : 1
        var kills = 0
        try await eventually("a sync gets through without the death of the server") {
            try? FileManager.default.removeItem(atPath: armed)
            try await restartServer(
                Faults(under: "\(workspace.root)/server.sqlite", at: point, how: how, armed: armed))
            try await sync()
            let left = try problems()
            #expect(left == [], "after point \(point), \(how)")
            try await before()
            try Data().write(to: URL(filePath: armed))
            let sent = try await workspace.shiftlog(["sync", "--timeout", "5"], server: server)
            let problems = try problems()
            #expect(problems == [], "point \(point), \(how)")
            if sent.status == 0 { return true }
            kills += 1
            point += stride
            return false
        }
        try? FileManager.default.removeItem(atPath: armed)
        WritePoints.tell("shiftlog-server, \(how): \(kills) kills, \(point) points")
        #expect(kills > 0)
    }

    /// Kills the server, if it still runs, and starts it again at its port.
    func restartServer(_ faults: Faults? = nil) async throws {
        let old = server
        old.program.signal(SIGKILL)
        _ = try await old.program.outcome()
        let next = try await workspace.startServer(
            port: old.port, users: [], variables: try faults?.variables() ?? [:])
        held.withLock { $0.server = next }
    }

    /// Sends and fetches all there is; both sides are then the same.
    func settle(otherHome: Bool = false) async throws {
        try await sync()
        #expect(try ledger.waiting() == 0)
        let problems = try problems()
        #expect(problems == [])
        #expect(try ledger.localEntries() == ledger.remoteEntries())
        guard otherHome else { return }
        try require(try await workspace.shiftlog(["sync"], home: "other", server: server).status == 0, "sync")
        #expect(try Ledger(workspace, home: "other").localEntries() == ledger.remoteEntries())
    }

    // MARK: - The same beginning for every run

    /// Remembers the home as it is now.
    func keep() throws {
        try FileManager.default.copyItem(atPath: state, toPath: "\(workspace.root)/kept")
    }

    func putBack() throws {
        try FileManager.default.removeItem(atPath: state)
        try FileManager.default.copyItem(atPath: "\(workspace.root)/kept", toPath: state)
    }
}

extension Workspace {
    /// Logs in, more than once if need be: hashing a password takes long where every core is busy.
    func loginPatiently(home: String, server: Server) async throws {
        for _ in 0..<4 {
            do { return try await login(home: home, server: server) } catch {}
        }
        try await login(home: home, server: server)
    }
}

/// How dense the tried points lie, and what was tried.
enum WritePoints {
    static let stride = max(1, ProcessInfo.processInfo.environment["STRATA_POINTS"].flatMap { Int($0) } ?? 11)

    static func tell(_ line: String) {
        if ProcessInfo.processInfo.environment["STRATA_POINTS"] != nil { print("write points: \(line)") }
    }
}
