import FoundationEssentials
import GRDB
import StrataDomain
import StrataFeatureTesting
import StrataNetworking
import StrataOffline
import StrataTesting
import Testing

/// A home full of unsent writes beside the server of the next release: with the program that wrote them, and with the next one, which renews
/// the home and may end at any moment of that.
@Suite(.timeLimit(.minutes(5))) struct HomeRenewalTests {
    private let directory: TemporaryDirectory
    init() throws { directory = try TemporaryDirectory() }

    /// Everything in a home that its user sees.
    private struct Contents: Equatable {
        let entries: [OutboxEntry]
        let conflicts: [SyncConflict]
        let crates: [Stored<Crate>]
        let depots: [Stored<Depot>]

        init(_ store: OfflineStore) async throws {
            entries = try await store.entries()
            conflicts = try await store.conflicts()
            crates = try await store.entities()
            depots = try await store.entities()
        }
    }

    /// A write that may have arrived keeps its bytes. `weight` is not among them: a value that has no counterpart keeps its name.
    private static let newNames: Set = ["location", "serial", "kilos"]
    private static let oldNames: Set = ["place", "label", "level", "note", "code", "depot_id"]

    // MARK: - Beside the new server

    @Test(arguments: [false, true])
    func `each unsent write of a full home takes effect, or is kept with a sentence`(isRenewed: Bool) async throws {
        let path = directory.file("home.sqlite")
        try await withBackend(FullHome.features) { backend in
            let client = try backend.client()
            let home = try await FullHome(at: path, client)
            let store = try await FullHome.open(path, isRenewed ? FullHome.newCollections : FullHome.oldCollections)
            let waiting = try await store.entries()
            #expect(waiting.count > 250 && waiting.contains { $0.state == .inflight })
            #expect(Set(waiting.map(\.mutation.entityId)) == home.written.union(["later"]))
            for entry in waiting where isRenewed && entry.mutation.collection == "crates" {
                let names = Set(entry.mutation.fields.keys)
                let isSent = entry.state == .inflight
                #expect(names.isDisjoint(with: isSent ? Self.newNames : Self.oldNames), "\(entry.mutation)")
            }

            let engine = SyncEngine(database: store.database, client: client)
            let report = try await engine.sync()
            #expect(report.rejected == home.refusals.count && report.conflicts == 0, "\(report)")
            #expect(try await Self.crates(client) == home.crates)

            let kept = try await store.entries()
            #expect(Set(kept.map(\.mutation.entityId)) == Set(home.refusals.keys).union(home.conflicts))
            for entry in kept where entry.state != .conflicted {
                let word = home.refusals[entry.mutation.entityId] ?? "none"
                #expect(entry.state == .rejected && entry.error?.contains(word) == true, "\(entry)")
            }
            let conflicts = try await store.conflicts()
            #expect(conflicts.map(\.entityId).sorted() == home.conflicts.sorted())
            for conflict in conflicts {
                #expect(conflict.fields == [isRenewed ? "location" : "place"])
                try await store.resolve(conflict.id, keeping: .local)
            }
            _ = try await engine.sync()
            let settled = try await Self.crates(client)
            #expect(home.conflicts.allSatisfy { settled[$0]?.location == "Ulm" })
            #expect(settled.count == home.crates.count)
        }
    }

    private static func crates(_ client: HTTPAPIClient) async throws -> [String: Crate] {
        var (crates, cursor): ([String: Crate], String?) = ([:], nil)
        repeat {
            let page = try await client.send(ListEntities<Crate>(cursor: cursor, limit: 200))
            for item in page.items { crates[item.id.rawValue] = item.content }
            cursor = page.nextCursor
        } while cursor != nil
        return crates
    }

    // MARK: - A renewal that ends

    /// The files of a full home, which the program of the last release has closed.
    private func full() async throws -> String {
        let path = directory.file("full.sqlite")
        try await withBackend(FullHome.features) { backend in _ = try await FullHome(at: path, backend.client()) }
        return "full.sqlite"
    }

    /// A copy of the home as a killed process leaves it.
    private func copy(of name: String, as copy: String, log: Data? = nil) throws -> String {
        let path = try directory.write(copy, try #require(directory.content(name)))
        _ = try directory.write("\(copy).sync-lock", Data())
        if let log { _ = try directory.write("\(copy)-wal", log) }
        return path
    }

    /// A kill leaves the file with the first part of its log: what was committed, and pages of a commit that was under way. Each commit of
    /// the renewal is such a moment, and so is the middle of the one before it.
    @Test(.enabled(if: StoreEngine.chosen.isSQLite, "asks the home, whatever the server stores in"))
    func `a renewal that is killed at any moment is completed by the next start, and nothing is lost`() async throws {
        let name = try await full()
        let whole = try await FullHome.open(try copy(of: name, as: "whole"), FullHome.newCollections)
        let expected = try await Contents(whole)
        let log = try #require(directory.content("whole-wal"))
        #expect(directory.content("whole") == directory.content(name), "The log has all of the renewal.")
        try await whole.database.close()
        #expect(expected.entries.count > 250 && expected.conflicts.count == 4)

        let ends = Self.commits(in: log)
        #expect(ends.count > 12, "A step of each changed field, and the rows and writes at once.")
        var moments = [0] + ends
        moments += zip([32] + ends, ends).map { ($0 + $1) / 2 }
        for (number, length) in moments.enumerated() {
            let path = try copy(of: name, as: "cut-\(number)", log: Data(log.prefix(length)))
            let store = try await FullHome.open(path, FullHome.newCollections)
            let found = try await Contents(store)
            #expect(found == expected, "after \(length) of \(log.count) bytes")
            try await store.database.close()
        }
    }

    /// Where the commits of a log end (sqlite.org/fileformat2.html, section 4.1).
    private static func commits(in log: Data) -> [Int] {
        func number(at place: Int) -> Int { log[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
        guard log.count > 32 else { return [] }
        let frame = 24 + number(at: 8)
        return stride(from: 32, through: log.count - frame, by: frame).filter { number(at: $0 + 4) > 0 }.map {
            $0 + frame
        }
    }

    private static let steps = [
        "INSERT ON grdb_migrations WHEN NEW.identifier LIKE '%kind-narrowed'", "INSERT ON meta",
        "UPDATE ON outbox WHEN NEW.client_seq > 100", "UPDATE ON conflict", "DELETE ON meta",
    ]

    @Test(.enabled(if: StoreEngine.chosen.isSQLite, "asks the home, whatever the server stores in"))
    func `a renewal that cannot store a step says so, changes no write, and is completed later`() async throws {
        let name = try await full()
        let whole = try await FullHome.open(try copy(of: name, as: "whole"), FullHome.newCollections)
        let expected = try await Contents(whole)
        for (number, step) in Self.steps.enumerated() {
            let path = try copy(of: name, as: "home-\(number)")
            func change(_ sql: String) async throws {
                let file = try DatabaseQueue(path: path)
                try await file.write { try $0.execute(sql: sql) }
                try file.close()
            }
            try await change("CREATE TRIGGER broken BEFORE \(step) BEGIN SELECT RAISE(ABORT, 'no room'); END")
            for _ in 0..<2 {
                let error = await #expect(throws: DomainError.self, "\(step)") {
                    try await FullHome.open(path, FullHome.newCollections)
                }
                #expect(error?.description.contains("no room") == true, "\(error?.description ?? "")")
            }
            try await change("DROP TRIGGER broken")
            let store = try await FullHome.open(path, FullHome.newCollections)
            #expect(try await Contents(store) == expected, "\(step)")
        }
    }
}
