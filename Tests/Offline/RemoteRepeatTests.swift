import FoundationEssentials
import StrataDomain
import StrataTesting
import Testing

@testable import StrataOffline

/// What the simulated REST servers showed: repeated keys, lost references, and a clock that is set back.
@Suite struct RemoteRepeatTests {
    private static let keyed = RemoteAbilities(
        precondition: .ifMatch, repeats: .idempotencyKey(header: "Idempotency-Key"), findsByID: true)

    @Test(arguments: [true, false])
    func `a repeat under its key has the tag of the first try, and a 412 for it ends in a new write`(
        isDelete: Bool
    ) async throws {
        let home = try RESTHome(Self.keyed)
        home.remote.put("7", "old")
        try await home.sync()
        // The request never arrives.
        home.remote.with { $0.refuse = { _ in NetworkError(.connectionLost("cut")) } }
        if isDelete {
            try await home.chores.delete(Chore.ID("7"))
        } else {
            try await home.chores.update(Chore.ID("7")) { $0.text = "new" }
        }
        await home.trySync()
        // Another client stores the row as it was: what is here is right, and its tag is another.
        home.remote.put("7", "old")
        try await home.sync(.pull)
        home.remote.with { $0.refuse = { _ in nil } }
        try await home.sync()

        let pushes = home.remote.pushes
        #expect(pushes.map(\.entityTag) == ["\"1\"", "\"1\"", "\"2\""])
        #expect(Set(pushes.map(\.id)).count == 2 && pushes.first?.id == pushes.dropFirst().first?.id)
        #expect(home.remote.texts == (isDelete ? [] : ["new"]))
        #expect(try await home.chores.unsent.isEmpty)
        #expect(try await home.chores.conflicts.isEmpty)
    }

    @Test(arguments: [true, false])
    func `a repeat of a write without a tag has none, and never goes over a change`(isChanged: Bool) async throws {
        let home = try RESTHome(Self.keyed)
        home.remote.with { $0.hasTags = false }
        home.remote.put("7", "old")
        try await home.sync()
        home.remote.with { $0.refuse = { _ in NetworkError(.connectionLost("cut")) } }
        try await home.chores.update(Chore.ID("7")) { $0.text = "new" }
        await home.trySync()
        home.remote.with { $0.hasTags = true }
        home.remote.put("7", "old", isChanged ? ["mark": "theirs"] : [:])
        try await home.sync(.pull)
        home.remote.with { $0.refuse = { _ in nil } }
        try await home.sync()

        // A change is merged, and the merged write is another one.
        #expect(home.remote.pushes.map(\.entityTag) == [nil, isChanged ? "\"2\"" : nil])
        #expect(Set(home.remote.pushes.map(\.id)).count == (isChanged ? 2 : 1))
        #expect(home.remote.with { $0.rows["7"]?.fields["text"] } == "new")
        #expect(home.remote.with { $0.rows["7"]?.fields["mark"] } == (isChanged ? "theirs" : nil))
        #expect(try await home.chores.unsent.isEmpty)
    }

    @Test(arguments: [true, false])
    func `a sent write to a copy is repeated as it was, and an earlier one does not go over it`(
        isDelete: Bool
    ) async throws {
        let home = try RESTHome(Self.keyed)
        // Answers that take effect and are lost, and the run goes on behind each.
        home.remote.with { ($0.lostAnswers, $0.lostAnswer) = (1, NetworkError(.server(502, nil))) }
        let id = try await home.chores.create(Chore(text: "milk"))
        await home.trySync()
        #expect(Set(try await home.chores.list().map(\.id)) == [id, Chore.ID("41")], "until the outcome is known")
        try await home.chores.update(id) { ($0.text, $0.mark) = ("oat milk", "urgent") }
        if isDelete {
            try await home.chores.delete(Chore.ID("41"))
        } else {
            try await home.chores.update(Chore.ID("41")) { $0.text = "soy milk" }
        }
        home.remote.with { $0.lostAnswers = 2 }
        await home.trySync()
        #expect(Set(try await home.chores.unsent.map(\.state)) == [.inflight, .pending])
        try await home.sync()

        #expect(home.remote.texts == (isDelete ? [] : ["soy milk"]))
        #expect(home.remote.with { $0.rows["41"]?.fields["mark"] } == (isDelete ? nil : "urgent"))
        #expect(try await home.texts == home.remote.texts)
        #expect(try await home.chores.unsent.isEmpty)
        #expect(try await home.chores.conflicts.isEmpty)
        let tags = Dictionary(grouping: home.remote.pushes, by: \.id).values.map { Set($0.map(\.entityTag)) }
        #expect(tags.allSatisfy { $0.count == 1 }, "under its key a write has one tag")
    }

    @Test(arguments: [true, false])
    func `a row that is gone when its create is answered is shown as it was seen last`(answersIDs: Bool) async throws {
        let home = try RESTHome(Self.keyed)
        home.remote.with { $0.lostAnswers = 1 }
        home.remote.with { $0.answersIDs = answersIDs }
        let id = try await home.chores.create(Chore(text: "mine"))
        await home.trySync()
        try await home.chores.update(id) { $0.mark = "edited" }
        home.remote.put("41", "theirs")
        try await home.sync(.pull)
        home.remote.remove("41")
        try await home.sync(.push)
        #expect(try await home.chores.list().map(\.content) == [Chore(text: "theirs", mark: "edited")])
        #expect(try await home.chores.conflicts.count == 1)
    }

    @Test func `after a part was acknowledged a restart sends no create twice`() async throws {
        let home = try RESTHome()
        var ids = [try await home.chores.create(Chore(text: "acknowledged"))]
        try await home.sync()
        home.remote.with { $0.lostAnswers = 1 }
        for text in ["unknown", "unsent"] { ids.append(try await home.chores.create(Chore(text: text))) }
        await home.trySync()
        #expect(home.remote.texts == ["acknowledged", "unknown"])

        let later = try RESTHome(in: home.directory, remote: home.remote, listRemote: home.listRemote, seed: 2)
        #expect(try await later.chores.unsent.map(\.state) == [.inflight, .pending])
        try await later.sync()
        #expect(home.remote.texts == ["acknowledged", "unknown", "unsent"])
        #expect(home.remote.pushes.count == 3)
        #expect(Set(try await later.chores.list().map(\.id)) == Set(ids))
        #expect(try await later.chores.unsent.isEmpty)
    }

    @Test func `a write that refers to a discarded row is refused and never sent`() async throws {
        let home = try RESTHome()
        let list = try await home.lists.create(ChoreList(text: "shop"))
        try await home.chores.create(Chore(text: "milk", list: RemoteID(list.rawValue)))
        try await home.lists.delete(list)
        await home.trySync()
        #expect(home.remote.pushes.isEmpty, "the server never knew the list")
        #expect(try await home.chores.unsent.map(\.state) == [.rejected])
    }

    @Test func `after the server's clock was set back everything is read again`() async throws {
        let home = try RESTHome(
            RemoteAbilities(
                deltas: .since(field: "updated_at", overlap: .seconds(10)), deletions: .feed, findsByID: true))
        home.remote.with { state in
            state.clock = Date(timeIntervalSince1970: 9_000)
            state.serverTime = Date(timeIntervalSince1970: 9_100)
        }
        home.remote.put("7", "old")
        try await home.sync()
        home.remote.with { state in
            state.clock = Date(timeIntervalSince1970: 5_000)
            state.serverTime = Date(timeIntervalSince1970: 5_100)
        }
        home.remote.put("8", "new")
        try await home.sync()
        #expect(try await home.texts == ["new", "old"])
    }
}
