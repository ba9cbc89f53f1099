import FoundationEssentials
import GRDB
import StrataConcurrency
import StrataDomain
import StrataTesting
import Testing

@testable import StrataOffline

/// Reading an API with rules of its own.
@Suite struct RemotePullTests {
    private static let since = RemoteAbilities.Deltas.since(field: "modified", overlap: .seconds(30))

    // MARK: - Changes

    @Test func `changes are asked for from the newest time of the server, less the overlap`() async throws {
        let home = try RESTHome(RemoteAbilities(deltas: Self.since, deletions: .feed, findsByID: true))
        home.remote.put("7", "old")
        try await home.sync()
        let newest = home.remote.with { $0.clock }
        #expect(try await home.sync().received == 0, "a repeated row is nothing new")
        #expect(home.remote.with { $0.pulls.last?.start } == .since(newest.addingTimeInterval(-30)))

        // The clock here is 56 years ahead of the server's: it plays no part.
        home.remote.put("8", "new")
        #expect(try await home.sync().received == 1)
        #expect(try await home.texts == ["new", "old"])
    }

    @Test func `a row with a time in the future does not hide later changes`() async throws {
        let home = try RESTHome(RemoteAbilities(deltas: Self.since, deletions: .feed, findsByID: true))
        home.remote.put("7", "from the future")
        let time = home.remote.with { state in
            state.rows["7"]?.modifiedAt = state.clock.addingTimeInterval(7200)
            state.serverTime = state.clock
            return state.clock
        }
        try await home.sync()
        home.remote.put("8", "later")
        try await home.sync()
        #expect(home.remote.with { $0.pulls.last?.start } == .since(time.addingTimeInterval(-30)))
        #expect(try await home.texts == ["from the future", "later"])
    }

    @Test func `a repeated row of an overlap does not undo a local edit`() async throws {
        let home = try RESTHome(RemoteAbilities(deltas: Self.since, deletions: .feed, findsByID: true))
        home.remote.put("7", "old")
        try await home.sync()
        try await home.chores.update(Chore.ID("7")) { $0.text = "mine" }
        try await home.sync(.pull)
        #expect(try await home.texts == ["mine"])
        #expect(try await home.chores.conflicts.isEmpty)
    }

    @Test func `a cursor is stored with its page, and that of an incomplete list is not`() async throws {
        let home = try RESTHome(RemoteAbilities(deltas: .cursor, deletions: .feed, findsByID: true))
        for number in 1...4 { home.remote.put("\(number)", "row \(number)") }
        home.remote.with { state in
            state.pageSize = 2
            state.refusePull = { $0.page == "2" ? NetworkError(.server(500, nil)) : nil }
        }
        await #expect(throws: DomainError.self) { try await home.sync() }
        #expect(try await home.texts.count == 2)
        home.remote.with { $0.refusePull = { _ in nil } }
        try await home.sync()
        #expect(try await home.texts.count == 4, "a run that was cut off reads the whole list")

        let database = try await home.offline.store().database
        try await database.write { db in
            try db.execute(
                sql: "CREATE TRIGGER broken BEFORE INSERT ON remote_place BEGIN SELECT RAISE(ABORT, 'broken'); END")
        }
        home.remote.put("5", "row 5")
        await #expect(throws: DomainError.self) { try await home.sync() }
        #expect(try await home.texts.count == 4, "no rows without their cursor")
    }

    @Test func `an expired cursor and a reset read everything again`() async throws {
        let home = try RESTHome(RemoteAbilities(deltas: .cursor, deletions: .feed, findsByID: true))
        home.remote.put("7", "old")
        try await home.sync()
        home.remote.with { $0.refusePull = { $0.start == .everything ? nil : NetworkError(.status(410, nil)) } }
        home.remote.put("8", "new")
        try await home.sync()
        #expect(try await home.texts == ["new", "old"])

        home.remote.with { $0.refusePull = { _ in nil } }
        try await home.sync()
        #expect(home.remote.with { $0.pulls.last?.start } != .everything)
        try await home.chores.reset(to: .everything)
        try await home.sync()
        #expect(home.remote.with { $0.pulls.last?.start } == .everything)
    }

    @Test func `nothing is sent while a list is read, so no list from before an acknowledgement is stored after it`()
        async throws
    {
        let home = try RESTHome()
        home.remote.put("7", "old")
        try await home.sync()
        try await home.chores.update(Chore.ID("7")) { $0.text = "mine" }
        let remotes: [String: any RemoteCollection] = ["chores": home.remote, "chore_lists": home.listRemote]
        let other = SyncEngine(
            database: try await home.offline.store().database, client: NoClient(), remotes: remotes,
            settings: .init(lockWait: .zero), log: .silent)
        let refusals = Mutex(0)
        // The page with "old" is on its way.
        home.remote.onPage { _, _ in
            do { _ = try await other.sync(.now, .push) } catch { refusals.withLock { $0 += 1 } }
        }
        try await home.sync(.pull)
        #expect(refusals.withLock { $0 } == 1)
        #expect(home.remote.pushes.isEmpty)
        #expect(try await home.texts == ["mine"])

        home.remote.onPage { _, _ in }
        _ = try await other.sync(.now, .push)
        #expect(home.remote.texts == ["mine"], "after the list it is sent")
    }

    @Test func `only what was asked for is done`() async throws {
        let home = try RESTHome()
        home.remote.put("7", "theirs")
        try await home.chores.create(Chore(text: "mine"))
        try await home.sync(.push)
        #expect(home.remote.with { $0.pulls.isEmpty })
        #expect(home.remote.texts.sorted() == ["mine", "theirs"])
        try await home.chores.create(Chore(text: "later"))
        try await home.sync(.pull)
        #expect(home.remote.pushes.count == 1)
        #expect(try await home.texts == ["later", "mine", "theirs"])
    }

    @Test func `a collection that fails does not keep others from being read`() async throws {
        let home = try RESTHome()
        home.listRemote.with { $0.refusePull = { _ in NetworkError(.server(500, nil)) } }
        home.remote.put("7", "there")
        await #expect(throws: DomainError.self) { try await home.sync() }
        #expect(try await home.texts == ["there"])
        #expect(try await home.offline.status().asOf == nil)
        #expect(try await home.chores.asOf != nil)
    }

    // MARK: - Deletions

    @Test(arguments: [true, false])
    func `a row that is in no complete list is deleted`(findsByID: Bool) async throws {
        let home = try RESTHome(RemoteAbilities(findsByID: findsByID))
        for number in 1...4 { home.remote.put("\(number)", "row \(number)") }
        try await home.sync()
        home.remote.remove("2")
        try await home.sync()
        #expect(try await home.texts == ["row 1", "row 3", "row 4"])
    }

    @Test(arguments: [true, false])
    func `a row that moved to a page which was read already is not deleted`(findsByID: Bool) async throws {
        let home = try RESTHome(RemoteAbilities(findsByID: findsByID))
        for number in 1...5 { home.remote.put("\(number)", "row \(number)") }
        try await home.sync()
        home.remote.with { $0.pageSize = 2 }
        home.remote.onPage { remote, offset in
            if offset == 0, remote.with({ $0.rows["1"] != nil }) { remote.remove("1") }
        }
        let before = home.remote.with { $0.pulls.count }
        try await home.sync()
        #expect(home.remote.with { $0.pulls.count } > before + 1)
        #expect(try await home.texts.contains("row 3"), "it moved from the second page to the first")
        try await home.sync()
        #expect(try await home.texts == ["row 2", "row 3", "row 4", "row 5"])
    }

    @Test func `a part of a list deletes nothing that the server still has`() async throws {
        let home = try RESTHome()
        for number in 1...10 { home.remote.put("\(number)", "row \(number)") }
        try await home.sync()
        home.remote.with { $0.hides = ["3"] }
        try await home.sync()
        #expect(try await home.texts.count == 10)
    }

    @Test func `a list without most rows deletes them only when a user confirms`() async throws {
        let home = try RESTHome(RemoteAbilities(findsByID: false))
        for number in 1...10 { home.remote.put("\(number)", "row \(number)") }
        try await home.sync()
        for number in 1...7 { home.remote.remove("\(number)") }
        let report = try await home.sync()
        #expect(report.heldDeletions == 7)
        #expect(try await home.texts.count == 10)
        #expect(try await home.chores.heldDeletions.count == 7)

        // One comes back before the user decides.
        home.remote.put("3", "row 3")
        #expect(try await home.sync().heldDeletions == 6)
        #expect(try await home.chores.confirmDeletions() == 6)
        #expect(try await home.texts == ["row 10", "row 3", "row 8", "row 9"])
    }

    @Test func `of a short list more than half are deleted only when a user confirms`() async throws {
        let home = try RESTHome()
        for number in 1...6 { home.remote.put("\(number)", "row \(number)") }
        try await home.sync()
        for number in 1...3 { home.remote.remove("\(number)") }
        #expect(try await home.sync().heldDeletions == 0)
        #expect(try await home.texts == ["row 4", "row 5", "row 6"])
        for number in 4...5 { home.remote.remove("\(number)") }
        #expect(try await home.sync().heldDeletions == 2)
        #expect(try await home.texts.count == 3)
        #expect(try await home.chores.confirmDeletions() == 2)
        #expect(try await home.texts == ["row 6"])
        home.remote.remove("6")
        #expect(try await home.sync().heldDeletions == 0)
        #expect(try await home.texts.isEmpty)
    }

    @Test(arguments: [(1, 1, 0), (1, 2, 1), (3, 6, 3), (5, 10, 5), (5, 24, 19), (20, 100, 80)])
    func `so many absent rows are deleted without asking`(count: Int, of live: Int, listed: Int) {
        #expect(!PullLimits().asks(about: count, of: live, listed: listed))
    }

    @Test(arguments: [(2, 2, 0), (2, 3, 1), (4, 6, 2), (5, 6, 1), (5, 9, 4), (6, 12, 6), (21, 100, 79)])
    func `so many absent rows wait for a user`(count: Int, of live: Int, listed: Int) {
        #expect(PullLimits().asks(about: count, of: live, listed: listed))
    }

    @Test func `a limit of one row, or of all, is obeyed`() {
        #expect(PullLimits(freeRows: 0).asks(about: 1, of: 3, listed: 2))
        #expect(!PullLimits(largestShare: 1).asks(about: 99, of: 100, listed: 1))
        #expect(PullLimits(largestShare: 1).asks(about: 100, of: 100, listed: 0))
    }

    @Test func `an empty list deletes at most one row without asking`() async throws {
        let home = try RESTHome(RemoteAbilities(findsByID: false))
        for number in 1...2 { home.remote.put("\(number)", "row \(number)") }
        try await home.sync()
        home.remote.remove("1")
        home.remote.remove("2")
        #expect(try await home.sync().heldDeletions == 2)
        #expect(try await home.texts.count == 2)
    }

    @Test func `a list that fails half way deletes nothing`() async throws {
        let home = try RESTHome()
        for number in 1...4 { home.remote.put("\(number)", "row \(number)") }
        try await home.sync()
        home.remote.with { state in
            state.pageSize = 2
            state.refusePull = { $0.page == nil ? nil : NetworkError(.timeout) }
        }
        home.remote.remove("4")
        await home.trySync()
        #expect(try await home.texts.count == 4)
    }

    @Test func `a deletion that shows in the list only is found between changes`() async throws {
        let home = try RESTHome(RemoteAbilities(deltas: Self.since, findsByID: true))
        for number in 1...4 { home.remote.put("\(number)", "row \(number)") }
        try await home.sync()
        home.remote.remove("2")
        try await home.sync()
        #expect(try await home.texts.count == 4, "changes alone do not show it")
        home.wallClock.advance(by: .seconds(3601))
        try await home.sync()
        #expect(try await home.texts == ["row 1", "row 3", "row 4"])
    }

    @Test func `a deletion of the feed meets a local edit as a conflict`() async throws {
        let home = try RESTHome(
            RemoteAbilities(deltas: .cursor, deletions: .feed, precondition: .none, findsByID: true))
        home.remote.put("7", "old")
        try await home.sync()
        home.remote.remove("7")
        try await home.chores.update(Chore.ID("7")) { $0.text = "mine" }
        try await home.sync(.pull)
        #expect(try await home.chores.conflicts.count == 1)
        #expect(try await home.texts == ["mine"])
    }

    // MARK: - Ids

    @Test func `a server that uses an id again does not overwrite a row here`() async throws {
        let home = try RESTHome()
        home.remote.put("7", "old")
        try await home.sync()
        home.remote.remove("7")
        try await home.chores.update(Chore.ID("7")) { $0.text = "mine" }
        try await home.sync()
        let conflict = try #require(try await home.chores.conflicts.first)
        try await home.chores.keep(.local, in: conflict.id)
        try await home.sync()
        home.remote.put("7", "another row")
        try await home.sync()
        #expect(try await home.texts == ["another row", "mine"])
    }

    @Test func `the echo of a create with an id of its own is the same row`() async throws {
        let home = try RESTHome(RemoteAbilities(ids: .client, precondition: .none, repeats: .natural, findsByID: true))
        home.remote.with { $0.lostAnswers = 1 }
        let id = try await home.chores.create(Chore(text: "milk"))
        await home.trySync()
        try await home.sync(.pull)
        #expect(try await home.chores.list().map(\.id) == [id])
        try await home.sync()
        #expect(try await home.chores.unsent.isEmpty)
        #expect(try await home.chores.remoteID(of: id) == RemoteID(id.rawValue))
        #expect(home.remote.texts == ["milk"])
    }

    @Test func `a reference from elsewhere to a new row meets its local id`() async throws {
        let home = try RESTHome()
        home.listRemote.with { $0.lostAnswers = 1 }
        let list = try await home.lists.create(ChoreList(text: "shop"))
        await home.trySync()
        // Another user has seen the list, and this device does not know yet that it is its own.
        home.remote.put("7", "milk", ["list": 41])
        try await home.sync(.pull)
        #expect(try await home.chores.get(Chore.ID("7"))?.content.list == "41")
        try await home.sync()
        #expect(try await home.lists.list().map(\.id) == [list])
        #expect(try await home.chores.get(Chore.ID("7"))?.content.list == RemoteID(list.rawValue))
    }

    @Test func `a row keeps its ids over a restart`() async throws {
        let home = try RESTHome()
        let id = try await home.chores.create(Chore(text: "milk"))
        try await home.sync()
        let later = try RESTHome(in: home.directory, remote: home.remote, listRemote: home.listRemote, seed: 2)
        try await later.sync()
        #expect(try await later.chores.list().map(\.id) == [id])
        #expect(try await later.chores.remoteID(of: id) == "41")
    }

    @Test func `a list whose next page is one that was read ends with an error`() async throws {
        struct Circle: RemoteCollection {
            var abilities: RemoteAbilities { RemoteAbilities() }
            func pull(_ point: PullPoint, with client: any APIClient) async throws(NetworkError) -> PullPage {
                PullPage(rows: [], next: "again")
            }
            func push(_ write: RemoteWrite, with client: any APIClient) async throws(NetworkError) -> PushOutcome {
                .gone
            }
            func find(_ search: RemoteSearch, with client: any APIClient) async throws(NetworkError) -> [RemoteRow] {
                []
            }
        }
        let directory = try TemporaryDirectory()
        let offline = try Offline(at: "\(directory.path)/x.sqlite", client: NoClient(), log: .silent)
        _ = try offline.collection(Chore.self, Circle())
        await #expect(throws: DomainError.self) { try await offline.sync() }
    }
}
