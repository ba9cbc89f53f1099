import FoundationEssentials
import GRDB
import StrataDomain
import StrataTesting
import Testing

@testable import StrataOffline

/// Writes to an API with rules of its own.
@Suite struct RemotePushTests {
    @Test func `a new row keeps its local id and gets the one of the server`() async throws {
        let home = try RESTHome()
        let id = try await home.chores.create(Chore(text: "milk"))
        #expect(try await home.chores.remoteID(of: id) == nil)
        let report = try await home.sync()

        #expect(report.sent == 1 && report.unsent == 0)
        #expect(try await home.chores.remoteID(of: id) == "41")
        #expect(try await home.chores.list().map(\.id) == [id], "the pull must not bring it a second time")

        try await home.chores.update(id) { $0.text = "oat milk" }
        try await home.sync()
        #expect(home.remote.pushes.last?.remoteID == "41")
        #expect(home.remote.texts == ["oat milk"])
    }

    @Test func `the id of the server is stored in the transaction of the acknowledgement`() async throws {
        let home = try RESTHome()
        try await home.chores.create(Chore(text: "milk"))
        let database = try await home.offline.store().database
        try await database.write { db in
            try db.execute(
                sql: "CREATE TRIGGER broken BEFORE INSERT ON remote_row BEGIN SELECT RAISE(ABORT, 'broken'); END")
        }
        await #expect(throws: DomainError.self) { try await home.sync(.push) }
        #expect(try await home.chores.unsent.map(\.state) == [.inflight], "without its id it is not acknowledged")

        try await database.write { try $0.execute(sql: "DROP TRIGGER broken") }
        try await home.sync()
        #expect(home.remote.texts == ["milk"])
        #expect(try await home.texts == ["milk"])
    }

    @Test func `a write is sent before anything is fetched`() async throws {
        let home = try RESTHome()
        home.remote.put("7", "old")
        try await home.sync()
        home.remote.with { $0.calls = [] }
        try await home.chores.update(Chore.ID("7")) { $0.text = "new" }
        try await home.sync()
        #expect(home.remote.with { $0.calls } == ["push", "pull"])
        #expect(home.remote.texts == ["new"])
    }

    @Test func `an edit made while a page is fetched stays on top`() async throws {
        let home = try RESTHome()
        home.remote.put("7", "old")
        try await home.sync()
        home.remote.onPage { _, _ in try? await home.chores.update(Chore.ID("7")) { $0.text = "mine" } }
        home.remote.put("8", "other")
        try await home.sync(.pull)
        #expect(try await home.texts == ["mine", "other"])
        #expect(try await home.chores.unsent.count == 1)
    }

    // MARK: - References

    @Test func `a reference to a new row is sent with the id of the server`() async throws {
        let home = try RESTHome()
        home.listRemote.with { $0.lastID = 900 }
        // The entry of the chore is the older one: its reference comes with a later edit.
        let chore = try await home.chores.create(Chore(text: "milk"))
        let list = try await home.lists.create(ChoreList(text: "shop"))
        try await home.chores.update(chore) { $0.list = RemoteID(list.rawValue) }
        try await home.sync()

        #expect(home.remote.pushes.map { $0.fields["list"] } == [.string("901")])
        #expect(try await home.chores.get(chore)?.content.list == RemoteID(list.rawValue), "here it has the local id")
    }

    @Test func `a row waits for the row that it refers to`() async throws {
        let home = try RESTHome()
        home.listRemote.with { $0.refuse = { _ in NetworkError(.server(500, nil)) } }
        let list = try await home.lists.create(ChoreList(text: "shop"))
        try await home.chores.create(Chore(text: "milk", list: RemoteID(list.rawValue)))
        await home.trySync()
        #expect(home.remote.pushes.isEmpty)
        #expect(try await home.chores.unsent.map(\.state) == [.pending], "it may still be changed")

        home.listRemote.with { $0.refuse = { _ in nil } }
        try await home.sync()
        #expect(home.remote.texts == ["milk"])
    }

    // MARK: - Unknown outcomes

    @Test func `after a lost answer the row is looked up before it is sent again`() async throws {
        let home = try RESTHome()
        home.remote.with { $0.lostAnswers = 1 }
        let id = try await home.chores.create(Chore(text: "milk"))
        await home.trySync()
        try await home.sync()
        #expect(home.remote.pushes.count == 1)
        #expect(home.remote.texts == ["milk"])
        #expect(try await home.chores.remoteID(of: id) == "41")
    }

    @Test func `a row that another local row has is not taken for the lost one`() async throws {
        let home = try RESTHome()
        try await home.chores.create(Chore(text: "milk"))
        try await home.sync()
        // The second one never arrives.
        home.remote.with { $0.refuse = { _ in NetworkError(.connectionLost("cut")) } }
        try await home.chores.create(Chore(text: "milk"))
        await home.trySync()
        home.remote.with { $0.refuse = { _ in nil } }
        try await home.sync()
        #expect(home.remote.texts == ["milk", "milk"])
        #expect(try await home.texts == ["milk", "milk"])
    }

    @Test func `a row of another client with the natural key of a lost create is a conflict`() async throws {
        let home = try RESTHome(
            RemoteAbilities(ids: .naturalKey(["text"]), repeats: .lookUpFirst, findsByID: true))
        // The request never arrives, and another client makes the row.
        home.remote.with { $0.refuse = { _ in NetworkError(.connectionLost("cut")) } }
        try await home.chores.create(Chore(text: "milk", mark: "mine"))
        await home.trySync()
        home.remote.put("9", "milk", ["mark": "theirs"])
        home.remote.with { $0.refuse = { _ in nil } }
        try await home.sync(.push)
        let conflict = try #require(try await home.chores.conflicts.first)
        #expect(conflict.fields == ["mark"] && home.remote.pushes.count == 1)

        try await home.chores.keep(.local, in: conflict.id)
        try await home.sync()
        #expect(home.remote.with { $0.rows["9"]?.fields["mark"] } == "mine")
        #expect(try await home.texts == ["milk"])
    }

    @Test func `with an idempotency key the same key is sent again`() async throws {
        let home = try RESTHome(RemoteAbilities(repeats: .idempotencyKey(header: "Idempotency-Key"), findsByID: true))
        home.remote.with { $0.lostAnswers = 1 }
        try await home.chores.create(Chore(text: "milk"))
        await home.trySync()
        try await home.sync()
        #expect(home.remote.pushes.count == 2)
        #expect(Set(home.remote.pushes.map(\.id)).count == 1)
        #expect(home.remote.texts == ["milk"])
    }

    @Test(arguments: [false, true])
    func `a new row that was deleted before its answer arrived is not made again`(isEdited: Bool) async throws {
        let home = try RESTHome(RemoteAbilities(repeats: .idempotencyKey(header: "Idempotency-Key"), findsByID: true))
        home.remote.with { $0.lostAnswers = 1 }
        let id = try await home.chores.create(Chore(text: "milk"))
        await home.trySync()
        home.remote.remove("41")
        if isEdited { try await home.chores.update(id) { $0.mark = "urgent" } }
        try await home.sync()
        #expect(home.remote.texts.isEmpty)
        #expect(try await home.texts == (isEdited ? ["milk"] : []))
        #expect(try await home.chores.conflicts.count == (isEdited ? 1 : 0), "a user decides about the later edit")
    }

    @Test func `a copy that was fetched before the outcome is known becomes the local row`() async throws {
        let home = try RESTHome()
        home.remote.with { $0.lostAnswers = 1 }
        let id = try await home.chores.create(Chore(text: "milk"))
        await home.trySync()
        try await home.sync(.pull)
        #expect(try await home.chores.list().count == 2, "until the outcome is known")
        try await home.chores.update(Chore.ID("41")) { $0.mark = "urgent" }

        try await home.sync()
        #expect(home.remote.pushes.filter { $0.operation == .create }.count == 1)
        let rows = try await home.chores.list()
        #expect(rows.map(\.id) == [id])
        #expect(rows.first?.content.mark == "urgent", "the edit of the copy is kept")
        try await home.sync()
        #expect(home.remote.with { $0.rows["41"]?.fields["mark"] } == "urgent")
    }

    @Test(arguments: [false, true], [false, true])
    func `a change of a new row outlives an answer with the id alone`(isDeleted: Bool, isFetched: Bool) async throws {
        let home = try RESTHome(
            RemoteAbilities(
                deltas: .cursor, deletions: .feed, repeats: .idempotencyKey(header: "Idempotency-Key"),
                findsByID: true))
        home.remote.with { ($0.answersIDs, $0.lostAnswers) = (true, 1) }
        let id = try await home.chores.create(Chore(text: "milk"))
        await home.trySync()
        if isFetched { try await home.sync(.pull) }
        // Another client changes the row, and a page tells it, which is never read again.
        if isDeleted { home.remote.remove("41") } else { home.remote.put("41", "milk", ["mark": "theirs"]) }
        if isFetched { try await home.sync(.pull) }
        try await home.sync(.push)

        let rows = try await home.chores.list()
        #expect(rows.map(\.id) == (isDeleted ? [] : [id]))
        #expect(rows.map(\.content.mark) == (isDeleted ? [] : ["theirs"]))
        #expect(try await home.chores.unsent.isEmpty)
    }

    @Test(arguments: [["own"], ["copy"], ["own", "copy"]])
    func `of a row and its copy the one that is shown stays, although the other was deleted`(
        deleted: [String]
    ) async throws {
        let home = try RESTHome()
        home.remote.with { $0.lostAnswers = 1 }
        let own = try await home.chores.create(Chore(text: "milk"))
        await home.trySync()
        try await home.sync(.pull)
        let copy = Chore.ID("41")
        for name in deleted { try await home.chores.delete(name == "own" ? own : copy) }
        if deleted == ["own"] { try await home.chores.update(copy) { $0.mark = "urgent" } }

        try await home.sync()
        let left = deleted.count == 2 ? [] : [Chore(text: "milk", mark: deleted == ["own"] ? "urgent" : nil)]
        #expect(try await home.chores.list().map(\.content) == left)
        let marks = home.remote.with { state in state.rows.values.map { $0.fields["mark"]?.string } }
        #expect(marks == left.map(\.mark))
        #expect(try await home.chores.unsent.isEmpty)
        #expect(try await home.chores.conflicts.isEmpty)
    }

    @Test(arguments: [SyncConflict.Side.local, .remote], [true, false])
    func `the deletion of a new row whose key the server has is asked about`(
        side: SyncConflict.Side, isEarly: Bool
    ) async throws {
        let home = try RESTHome(
            RemoteAbilities(ids: .naturalKey(["text"]), repeats: .lookUpFirst, findsByID: true))
        home.remote.with { $0.refuse = { _ in NetworkError(.connectionLost("cut")) } }
        let id = try await home.chores.create(Chore(text: "milk", mark: "mine"))
        await home.trySync()
        home.remote.put("9", "milk", ["mark": "theirs"])
        home.remote.with { $0.refuse = { _ in nil } }
        // The outcome of the create is unknown, or it is a conflict already.
        if isEarly { try await home.chores.delete(id) }
        try await home.sync(.push)
        if !isEarly { try await home.chores.delete(id) }

        let conflict = try #require(try await home.chores.conflicts.first)
        #expect(try await home.texts.isEmpty, "it was deleted")
        try await home.chores.keep(side, in: conflict.id)
        try await home.sync()
        #expect(home.remote.texts == (side == .local ? [] : ["milk"]))
        #expect(try await home.texts == home.remote.texts)
    }

    @Test(arguments: [NetworkError(.connectionLost("cut")), NetworkError(.server(500, nil))])
    func `a create whose refusal could not be looked into counts as sent`(failure: NetworkError) async throws {
        let home = try RESTHome(
            RemoteAbilities(ids: .naturalKey(["text"]), repeats: .lookUpFirst, findsByID: true))
        // The first copy of the request took effect, and the second one is answered.
        home.remote.put("9", "milk")
        home.remote.with { ($0.refuse, $0.refuseFind) = ({ _ in NetworkError(.conflict(nil)) }, failure) }
        let id = try await home.chores.create(Chore(text: "milk"))
        await home.trySync()
        #expect(try await home.chores.unsent.map(\.state) == [.inflight])

        try await home.chores.delete(id)
        home.remote.with { ($0.refuse, $0.refuseFind) = ({ _ in nil }, nil) }
        try await home.sync()
        #expect(home.remote.texts.isEmpty, "the deletion counts: the row was made")
        #expect(try await home.texts.isEmpty)
    }

    // MARK: - Answers of all kinds

    @Test func `a refused write is kept and shown, and delays no other`() async throws {
        let home = try RESTHome()
        let problem = Problem(title: "Unprocessable", status: 422, detail: "the text is too rude")
        home.remote.with {
            $0.refuse = { $0.fields["text"] == "rude" ? NetworkError(.validation(problem)) : nil }
        }
        try await home.chores.create(Chore(text: "rude"))
        try await home.chores.create(Chore(text: "kind"))
        let report = try await home.sync()

        #expect(report.refused == 1 && report.sent == 1)
        let entry = try #require(try await home.chores.unsent.first)
        #expect(entry.state == .rejected)
        #expect(entry.error?.contains("too rude") == true)
        #expect(try await home.texts == ["kind", "rude"])

        home.remote.with { $0.refuse = { _ in nil } }
        try await home.sync()
        #expect(home.remote.texts == ["kind"], "only a user sends it again")
        try await home.chores.retry(entry.id)
        try await home.sync()
        #expect(home.remote.texts == ["kind", "rude"])
    }

    @Test func `a server error delays its own row only, and the pull goes on`() async throws {
        let home = try RESTHome()
        home.remote.put("7", "there")
        home.remote.with { $0.refuse = { $0.fields["text"] == "bad" ? NetworkError(.server(500, nil)) : nil } }
        try await home.chores.create(Chore(text: "bad"))
        try await home.sync()
        try await home.chores.create(Chore(text: "good"))
        let report = try await home.sync()
        #expect(report.sent == 1 && report.unsent == 1)
        #expect(try await home.texts == ["bad", "good", "there"])
    }

    @Test func `too many requests end the run with the wait of the server`() async throws {
        let home = try RESTHome()
        home.remote.with { $0.refuse = { _ in NetworkError(.rateLimited(retryAfter: .seconds(70))) } }
        try await home.chores.create(Chore(text: "one"))
        try await home.chores.create(Chore(text: "two"))
        do {
            try await home.sync()
            Issue.record("The run must fail.")
        } catch {
            guard case .busy(_, .seconds(70)?) = error as? DomainError else { throw error }
        }
        #expect(home.remote.pushes.count == 1)
        let entries = try await home.chores.unsent
        #expect(entries.map(\.state) == [.pending, .pending], "the limit of the client itself: no server has seen it")
        let due = try #require(entries.first?.nextAttemptAt)
        #expect(due >= home.wallClock.now.addingTimeInterval(70))
    }

    @Test func `an ended session pauses and keeps everything`() async throws {
        let home = try RESTHome()
        home.remote.with { $0.refuse = { _ in NetworkError(.unauthorized(nil)) } }
        try await home.chores.create(Chore(text: "milk"))
        await #expect { try await home.sync() } throws: { ($0 as? DomainError)?.kind == .unauthorized }
        #expect(try await home.chores.unsent.map(\.state) == [.pending], "no request was made without a token")
    }

    @Test(arguments: [NetworkError.Kind.rateLimited(retryAfter: nil), .unauthorized(nil)], [true, false])
    func `a create that a server answered keeps its content, as a copy of it may arrive later`(
        kind: NetworkError.Kind, hasKey: Bool
    ) async throws {
        let repeats = hasKey ? RemoteAbilities.Repeat.idempotencyKey(header: "Idempotency-Key") : .lookUpFirst
        let home = try RESTHome(RemoteAbilities(repeats: repeats, findsByID: true))
        let answered = NetworkError.Attempt(number: 1, outcome: "refused", decision: "final", duration: .zero)
        home.remote.with { $0.refuse = { _ in NetworkError(kind, attempts: [answered]) } }
        let id = try await home.chores.create(Chore(text: "one"))
        await home.trySync()
        #expect(try await home.chores.unsent.map(\.state) == [.inflight])

        home.remote.with { $0.refuse = { _ in nil } }
        // The copy, by a proxy that had sent the request to two servers.
        let create = try #require(home.remote.pushes.first)
        _ = try await home.remote.push(create, with: NoClient())
        try await home.chores.update(id) { $0.text = "two" }
        try await home.sync()
        try await home.sync()
        #expect(home.remote.texts == ["two"])
        let creates = home.remote.pushes.filter { $0.operation == .create }
        #expect(Set(creates.map(\.fields)) == [["text": "one"]])
        #expect(try await home.chores.unsent.isEmpty)
    }

    @Test(arguments: [404, 410])
    func `a delete of a row that is gone is done`(status: Int) async throws {
        let home = try RESTHome(RemoteAbilities(precondition: .none, findsByID: true))
        home.remote.put("7", "old")
        try await home.sync()
        home.remote.remove("7")
        let kind: NetworkError.Kind = status == 404 ? .notFound(nil) : .status(410, nil)
        home.remote.with { $0.refuse = { _ in NetworkError(kind) } }
        try await home.chores.delete(Chore.ID("7"))
        try await home.sync()
        #expect(try await home.chores.unsent.isEmpty)
        #expect(try await home.texts.isEmpty)
    }

    @Test func `an edit of a row that is gone is a conflict`() async throws {
        let home = try RESTHome()
        home.remote.put("7", "old")
        try await home.sync()
        home.remote.remove("7")
        try await home.chores.update(Chore.ID("7")) { $0.text = "new" }
        try await home.sync()
        let conflict = try #require(try await home.chores.conflicts.first)
        #expect(conflict.remote == nil)

        try await home.chores.keep(.local, in: conflict.id)
        try await home.sync()
        #expect(home.remote.texts == ["new"], "made again, under a new id")
        #expect(try await home.chores.remoteID(of: Chore.ID("7")) == "41")
        #expect(try await home.chores.list().count == 1)
    }

    @Test func `an edit of a deleted row waits for the user also when the row is made again`() async throws {
        let home = try RESTHome()
        home.remote.put("7", "old")
        try await home.sync()
        home.remote.remove("7")
        try await home.chores.update(Chore.ID("7")) { $0.mark = "mine" }
        try await home.sync()
        home.remote.put("7", "again")
        for _ in 1...2 {
            try await home.sync()
            let conflict = try #require(try await home.chores.conflicts.first)
            #expect(conflict.remote?["text"]?.string?.hasPrefix("again") == true)
            #expect(conflict.reason == "Edited here, deleted and made again on the server.", "homes store it")
            #expect(home.remote.with { $0.rows["7"]?.fields["mark"] } == nil)
            home.remote.put("7", "again, and changed")
        }
        let conflict = try #require(try await home.chores.conflicts.first)
        try await home.chores.keep(.local, in: conflict.id)
        try await home.sync()
        #expect(home.remote.with { $0.rows["7"]?.fields } == ["text": "again, and changed", "mark": "mine"])
    }

    // MARK: - Changes of others

    @Test(arguments: [RemoteAbilities.Precondition.ifMatch, .compareFirst], [true, false])
    func `a change of another user is merged, not overwritten`(
        precondition: RemoteAbilities.Precondition, listsTags: Bool
    ) async throws {
        let home = try RESTHome(RemoteAbilities(precondition: precondition, findsByID: true))
        home.remote.with { $0.listsTags = listsTags }
        home.remote.put("7", "old")
        try await home.sync()
        home.remote.put("7", "old", ["mark": "theirs"])
        try await home.chores.update(Chore.ID("7")) { $0.text = "mine" }
        try await home.sync()
        let row = try #require(try await home.chores.get(Chore.ID("7")))
        #expect(row.content == Chore(text: "mine", mark: "theirs"))
        #expect(home.remote.with { $0.rows["7"]?.fields } == ["text": "mine", "mark": "theirs"])

        home.remote.put("7", "theirs too")
        try await home.chores.update(Chore.ID("7")) { $0.text = "mine too" }
        try await home.sync()
        let conflict = try #require(try await home.chores.conflicts.first)
        #expect(conflict.fields == ["text"])
        #expect(home.remote.texts == ["theirs too"])
        try await home.chores.keep(.local, in: conflict.id)
        try await home.sync()
        #expect(home.remote.texts == ["mine too"])
        #expect(try await home.chores.conflicts.isEmpty)
    }

    @Test func `a refusal that is no change of the row is shown`() async throws {
        let home = try RESTHome(RemoteAbilities(precondition: .none, findsByID: true))
        home.remote.put("7", "old")
        try await home.sync()
        home.remote.with { $0.refuse = { _ in NetworkError(.conflict(Problem(title: "Taken", status: 409))) } }
        try await home.chores.update(Chore.ID("7")) { $0.text = "taken" }
        try await home.chores.create(Chore(text: "also taken"))
        try await home.sync()
        #expect(try await home.chores.unsent.map(\.state) == [.rejected, .rejected])
        #expect(home.remote.pushes.count == 2)
    }

    @Test func `a lost answer to an update with If-Match is no conflict with itself`() async throws {
        let home = try RESTHome(RemoteAbilities(precondition: .ifMatch, findsByID: true))
        home.remote.put("7", "old")
        try await home.sync()
        home.remote.with { $0.lostAnswers = 1 }
        try await home.chores.update(Chore.ID("7")) { $0.text = "new" }
        await home.trySync()
        try await home.sync()
        #expect(try await home.chores.conflicts.isEmpty)
        #expect(try await home.chores.unsent.isEmpty)
        #expect(home.remote.texts == ["new"])
    }

    @Test func `a tag that changes with each reading ends in a refusal, not in a loop`() async throws {
        let home = try RESTHome(RemoteAbilities(precondition: .ifMatch, findsByID: true))
        home.remote.put("7", "old")
        home.remote.with { ($0.listsTags, $0.newTags) = (false, true) }
        try await home.sync()
        try await home.chores.update(Chore.ID("7")) { $0.text = "new" }
        try await home.sync()
        let unsent = try #require(try await home.chores.unsent.first)
        #expect(unsent.state == .rejected && unsent.error?.contains("'precondition: .compareFirst'") == true)
        #expect(home.remote.pushes.count == 1)
    }

    @Test func `an unsent row and a fetched one with its natural key become one`() async throws {
        let home = try RESTHome(RemoteAbilities(ids: .naturalKey(["text"]), repeats: .natural, findsByID: true))
        let id = try await home.chores.create(Chore(text: "milk", mark: "mine"))
        home.remote.put("9", "milk")
        try await home.sync(.pull)
        #expect(try await home.chores.list().map(\.id) == [id])
        #expect(try await home.chores.remoteID(of: id) == "9")
        try await home.sync()
        #expect(home.remote.with { $0.rows["9"]?.fields["mark"] } == "mine")
        #expect(home.remote.pushes.map(\.operation) == [.update])
    }
}
