import FoundationEssentials
import GRDB
import StrataDomain
import StrataTesting
import Testing

@testable import StrataOffline

@Suite struct `Faults on the way` {
    let server = FakeSyncServer()

    @Test func `a write with a lost response is repeated under its id, and takes effect once`() async throws {
        let home = try await Home(server)
        try await home.create("a", "one")
        home.link.onRequest { name, _ in name == "push" ? .loseAnswer : nil }
        await #expect(throws: DomainError.self) { try await home.sync() }
        #expect(try await home.store.entries().map(\.state) == [.inflight])
        home.link.healed()
        #expect(try await home.sync() == SyncReport(pushed: 1))
        let (received, effects) = server.with { ($0.received.flatMap { $0 }, $0.effects) }
        #expect(received.count == 2 && Set(received).count == 1)
        #expect(effects.count == 1)
    }

    @Test(arguments: [
        "BEFORE DELETE ON outbox", "BEFORE INSERT ON base_row", "BEFORE UPDATE ON note",
    ])
    func `an acknowledgement that cannot be stored here is finished by the next run`(moment: String) async throws {
        let home = try await Home(server)
        server.put("notes", "b", ["text": "theirs"])
        try await home.sync()
        try await home.create("a", "one")
        try await home.patch("b", ["text": "mine"])
        try await home.database.write {
            try $0.execute(
                sql: "CREATE TRIGGER broken \(moment) WHEN (SELECT state FROM outbox LIMIT 1) = 'inflight' "
                    + "BEGIN SELECT RAISE(FAIL, 'no room'); END")
        }
        for _ in 0..<3 { await #expect(throws: DomainError.self) { try await home.sync() } }
        #expect(server.with { $0.effects.count } == 2, "The server accepted both.")
        #expect(try await home.store.entries().map(\.state) == [.inflight, .inflight])
        try await home.database.write { try $0.execute(sql: "DROP TRIGGER broken") }
        #expect(try await home.sync().pushed == 2)
        #expect(try await home.store.entries().isEmpty)
        #expect(server.with { $0.effects.count } == 2 && server.with { $0.broken.isEmpty })
        #expect(try await home.content() == server.live("notes"))
    }

    @Test func `an engine killed between send and acknowledgement is finished by the next process`() async throws {
        let directory = try TemporaryDirectory()
        let first = try await Home(server, in: directory)
        try await first.create("a", "one")
        first.link.onRequest { name, _ in name == "push" ? .loseAnswer : nil }
        _ = try? await first.sync()
        try await first.database.close()
        let second = try await Home(server, seed: 2, in: directory)
        try await second.patch("a", ["text": "edited after the crash"])
        #expect(try await second.store.entries().map(\.mutation.operation) == [.create, .patch])
        try await second.sync()
        #expect(server.live("notes") == ["a": ["text": "edited after the crash"]])
        #expect(server.with { $0.effects.count } == 2)
        #expect(server.with { $0.broken } == [])
    }

    @Test(arguments: [
        NetworkError.Kind.offline("down"), .timeout, .connectionLost("cut"), .rateLimited(retryAfter: .seconds(70)),
        .server(503, nil), .server(500, nil), .circuitOpen(origin: "x", until: Date(timeIntervalSince1970: 0)),
    ])
    func `a passing failure keeps every entry, however often it happens`(kind: NetworkError.Kind) async throws {
        let home = try await Home(server)
        try await home.create("a", "one")
        home.link.failing(kind)
        for _ in 0..<40 { await #expect(throws: DomainError.self) { try await home.sync() } }
        let entry = try #require(try await home.store.entries().first)
        #expect(entry.state == .pending || entry.state == .inflight)
        #expect(entry.attempts == 40)
        #expect(entry.error != nil)
        home.link.healed()
        #expect(try await home.sync() == SyncReport(pushed: 1))
        #expect(server.with { $0.effects.count } == 1)
    }

    @Test func `a timed run keeps the server's wait, and an explicit run ignores it`() async throws {
        let home = try await Home(server)
        try await home.create("a", "one")
        home.link.failing(.rateLimited(retryAfter: .seconds(70)))
        await #expect(throws: DomainError.self) { try await home.sync() }
        home.link.healed()
        #expect(try await home.engine.sync(.whenDue) == SyncReport())
        home.wallClock.advance(by: .seconds(71))
        #expect(try await home.engine.sync(.whenDue) == SyncReport(pushed: 1))
    }

    @Test func `a wall clock set back a year holds nothing up`() async throws {
        let home = try await Home(server)
        try await home.create("a", "one")
        home.link.failing(.server(503, nil))
        _ = try? await home.sync()
        home.link.healed()
        home.wallClock.advance(by: .seconds(-365 * 86_400))
        #expect(try await home.engine.sync(.whenDue) == SyncReport(pushed: 1))
    }

    @Test func `a write that was certainly not sent may still be folded`() async throws {
        let home = try await Home(server)
        try await home.create("a", "one")
        home.link.failing(.offline("down"))
        _ = try? await home.sync()
        try await home.patch("a", ["text": "two"])
        #expect(try await home.store.entries().count == 1)
        home.link.failing(.connectionLost("cut"))
        _ = try? await home.sync()
        try await home.patch("a", ["text": "three"])
        #expect(try await home.store.entries().count == 2, "It may have arrived, so it stays as it is.")
        home.link.healed()
        try await home.sync()
        #expect(server.live("notes") == ["a": ["text": "three"]])
    }

    @Test func `an ended session pauses everything and deletes nothing`() async throws {
        let home = try await Home(server)
        try await home.create("a", "one")
        home.link.failing(.unauthorized(nil))
        for _ in 0..<5 {
            let error = await #expect(throws: DomainError.self) { try await home.sync() }
            guard case .unauthorized = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
        #expect(try await home.store.entries().map(\.state) == [.pending])
        #expect(try await home.note("a") != nil)
        home.link.healed()
        #expect(try await home.sync() == SyncReport(pushed: 1))
    }

    @Test func `a refused write delays only its own row`() async throws {
        server.with { $0.refuse = { $0.entityId == "bad" ? SyncServerModel.problem(422, "too_odd") : nil } }
        let home = try await Home(server)
        try await home.create("bad", "poison")
        for number in 0..<20 { try await home.create("n\(number)", "fine") }
        #expect(try await home.sync() == SyncReport(pushed: 20, rejected: 1))
        let entry = try #require(try await home.store.entries().first)
        #expect(entry.state == .rejected)
        #expect(entry.error == "The server says too_odd.")
        #expect(try await home.note("bad")?.text == "poison", "Nothing the user typed goes away.")
        try await home.sync()
        #expect(server.with { $0.received.count } == 1, "It is not sent again by itself.")
    }

    @Test func `a refused write is sent again with its correction, under a new id`() async throws {
        server.with { $0.refuse = { $0.fields["text"] == "poison" ? SyncServerModel.problem(422, "too_odd") : nil } }
        let home = try await Home(server)
        try await home.create("a", "poison")
        try await home.sync()
        try await home.patch("a", ["text": "cured"])
        #expect(try await home.sync() == SyncReport(pushed: 1))
        #expect(server.live("notes") == ["a": ["text": "cured"]])
        #expect(server.with { $0.broken } == [])
    }

    @Test func `retry sends a refused write again, discard takes it back`() async throws {
        server.with { $0.refuse = { $0.entityId == "b" ? SyncServerModel.problem(403, "closed") : nil } }
        let home = try await Home(server)
        try await home.create("a", "one")
        try await home.sync()
        server.with { $0.refuse = { _ in SyncServerModel.problem(403, "closed") } }
        try await home.patch("a", ["text": "two"])
        try await home.create("b", "new")
        #expect(try await home.sync() == SyncReport(rejected: 2))
        for entry in try await home.store.entries() { try await home.store.discard(entry.id) }
        #expect(try await home.content() == ["a": ["text": "one"]])
        try await home.patch("a", ["text": "three"])
        try await home.sync()
        server.with { $0.refuse = { _ in nil } }
        let refused = try #require(try await home.store.entries().first)
        try await home.store.retry(refused.id)
        #expect(try await home.sync() == SyncReport(pushed: 1))
        #expect(server.live("notes") == ["a": ["text": "three"]])
        await #expect(throws: DomainError.self) { try await home.store.retry("nothing") }
        await #expect(throws: DomainError.self) { try await home.store.discard("nothing") }
    }

    @Test func `one entry that makes the whole request fail is found and set aside`() async throws {
        let home = try await Home(server)
        for number in 0..<150 { try await home.create("n\(number)", number == 77 ? "poison" : "fine") }
        let poison = try #require(try await home.store.entries().first { $0.mutation.fields["text"] == "poison" }).id
        home.link.onRequest { _, _ in nil }
        let picky = PickyLink(home.link, poison: poison, .validation(SyncServerModel.problem(422, "unreadable")))
        let engine = SyncEngine(database: home.database, client: picky, log: Home.quiet)
        let report = try await engine.sync()
        #expect(report == SyncReport(pushed: 149, rejected: 1))
        #expect(try await home.store.entries().map(\.state) == [.rejected])
    }

    @Test func `an entry that crashes the server stops neither the push nor the pull of others`() async throws {
        let home = try await Home(server)
        for number in 0..<150 { try await home.create("n\(number)", "fine") }
        server.put("notes", "theirs", ["text": "x"])
        let poison = try await home.store.entries()[77].id
        let engine = SyncEngine(
            database: home.database, client: PickyLink(home.link, poison: poison, .server(500, nil)), log: Home.quiet)
        let report = try await engine.sync()
        #expect(report == SyncReport(pushed: 149, pulled: 1))
        let entry = try #require(try await home.store.entries().first)
        #expect(entry.state == .inflight && entry.attempts == 1)
        #expect(try await home.sync() == SyncReport(pushed: 1), "It stays queued and goes once the server can take it.")
    }

    @Test func `a refusal that is the server's own failure is no refusal`() async throws {
        server.with { $0.refuse = { $0.entityId == "b" ? Problem(title: "Broken", status: 500) : nil } }
        let home = try await Home(server)
        try await home.create("a", "one")
        try await home.create("b", "two")
        #expect(try await home.sync() == SyncReport(pushed: 1))
        let entry = try #require(try await home.store.entries().first)
        #expect(entry.state == .inflight && entry.attempts == 1 && entry.error == "Broken")
        server.with { state in
            state.refuse = { _ in nil }
            state.log = state.log.filter { $0.value.result.status == .applied }
        }
        #expect(try await home.sync() == SyncReport(pushed: 1))
    }

    @Test(arguments: [(500, DomainError.Kind.unavailable), (503, .busy)])
    func `a run is busy after a 503 for its mutations, and unavailable after a 500`(
        status: Int, kind: DomainError.Kind
    ) async throws {
        server.with { $0.refuse = { _ in Problem(title: "Not now", status: status) } }
        let home = try await Home(server)
        try await home.create("a", "one")
        let error = await #expect(throws: DomainError.self) { try await home.sync() }
        #expect(error?.kind == kind)
    }

    @Test func `a remote row waits while the answer to a sent write is unknown`() async throws {
        let home = try await Home(server)
        try await home.create("a", "one")
        try await home.sync()
        try await home.patch("a", ["text": "mine"])
        let entry = try #require(try await home.store.entries().first)
        // The write arrives, its answer does not; then another user changes the row again.
        home.link.onRequest { name, _ in name == "push" ? .loseAnswer : nil }
        _ = try? await home.sync()
        server.put("notes", "a", ["text": "theirs, after mine"])
        // A run in which only this write stays unanswered still pulls.
        try await home.create("b", "other")
        home.link.healed()
        let engine = SyncEngine(
            database: home.database, client: PickyLink(home.link, poison: entry.id, .server(500, nil)), log: Home.quiet)
        _ = try await engine.sync()
        #expect(try await home.note("a")?.text == "mine")
        #expect(try await home.store.conflicts() == [])
        #expect(try await home.sync() == SyncReport(pushed: 1), "Agreed: theirs came after mine.")
        #expect(try await home.note("a")?.text == "theirs, after mine")
        #expect(try await home.store.conflicts() == [])
    }

    @Test func `captive portals and wrong servers reject no write`() async throws {
        let home = try await Home(server)
        try await home.create("a", "one")
        for kind in [NetworkError.Kind.validation(nil), .notFound(nil), .forbidden(nil), .invalidRequest("x")] {
            home.link.failing(kind)
            await #expect(throws: DomainError.self) { try await home.sync() }
            #expect(try await home.store.entries().map(\.state) == [.pending])
        }
    }
}

/// Fails every request that contains one mutation.
struct PickyLink: APIClient {
    let link: FakeLink
    let poison: Mutation.ID
    let kind: NetworkError.Kind

    init(_ link: FakeLink, poison: Mutation.ID, _ kind: NetworkError.Kind) {
        (self.link, self.poison, self.kind) = (link, poison, kind)
    }

    func response<E: Endpoint>(
        to endpoint: E, options: CallOptions
    ) async throws(NetworkError) -> APIResponse<E.Response> {
        if let push = endpoint as? PushMutations, push.batch.mutations.contains(where: { $0.id == poison }) {
            throw NetworkError(kind)
        }
        return try await link.response(to: endpoint, options: options)
    }

    func stream<E: Endpoint, Result: Sendable>(
        _ endpoint: E, options: CallOptions,
        receive:
            @escaping @Sendable (ResponseHead, any AsyncSequence<Data, any Error> & Sendable) async throws -> Result
    ) async throws(NetworkError) -> Result {
        try await link.stream(endpoint, options: options, receive: receive)
    }
}
