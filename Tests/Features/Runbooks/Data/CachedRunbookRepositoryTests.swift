import FoundationEssentials
import RunbooksAPI
import RunbooksData
import RunbooksDomain
import StrataCaching
import StrataDomain
import StrataFeatureTesting
import StrataTesting
import Testing

@Suite struct `Cached runbooks` {
    private let client = MockAPIClient()
    private let clock = ManualWallClock()
    private let cache: TwoTierCache
    private let reader: CachedReader
    private let repository: CachedRunbookRepository
    private let id = Runbook.ID("r1")

    init() {
        cache = TwoTierCache(directory: nil, clock: clock)
        reader = CachedReader(cache: cache, clock: clock)
        repository = CachedRunbookRepository(client: client, reader: reader, principal: "ada@test", clock: clock)
    }

    private func serve(_ runbooks: Runbook...) {
        let payloads = runbooks.map(RunbookPayload.init)
        client.on(ListRunbooks.self) { _, _ in CursorPage(items: payloads, nextCursor: nil) }
        client.on(GetRunbook.self) { call, _ in
            guard let payload = payloads.first(where: { $0.id == call.id }) else { throw NetworkError(.notFound(nil)) }
            return payload
        }
    }

    private func serverIsAway() {
        client.fail(ListRunbooks.self, .offline("connection refused"))
        client.fail(GetRunbook.self, .offline("connection refused"))
        client.fail(CreateRunbook.self, .offline("connection refused"))
        client.fail(UpdateRunbook.self, .offline("connection refused"))
        client.fail(DeleteRunbook.self, .offline("connection refused"))
    }

    private var listCalls: Int { client.calls(to: ListRunbooks.self).count }

    // MARK: Reading

    @Test func `one list answers every filter`() async throws {
        serve(.example("r1", title: "A", tags: ["disk"]), .example("r2", title: "B", body: "Needle"))
        #expect(try await repository.runbooks(RunbookFilter(), .cacheFirst).origin == .server)
        #expect(try await repository.runbooks(RunbookFilter(tag: "disk"), .cacheFirst).value.map(\.title) == ["A"])
        let found = try await repository.runbooks(RunbookFilter(text: "needle"), .cacheFirst)
        #expect(found.value.map(\.title) == ["B"])
        #expect(found.origin == .cache(storedAt: clock.now))
        #expect(listCalls == 1)
    }

    @Test func `a list is fresh for five minutes`() async throws {
        serve(.example())
        _ = try await repository.runbooks(RunbookFilter(), .cacheFirst)
        clock.advance(by: .seconds(299))
        _ = try await repository.runbooks(RunbookFilter(), .cacheFirst)
        #expect(listCalls == 1)
        clock.advance(by: .seconds(1))
        serve(.example(title: "New"))
        let stale = try await repository.runbooks(RunbookFilter(), .cacheFirst)
        #expect(stale.value.map(\.title) == ["Disk full"])
        await reader.drain(upTo: .seconds(5))
        #expect(listCalls == 2)
        #expect(try await repository.runbooks(RunbookFilter(), .cacheFirst).value.map(\.title) == ["New"])
    }

    @Test func `all pages are walked in order`() async throws {
        client.on(ListRunbooks.self) { call, _ in
            let number = call.cursor.flatMap { Int($0) } ?? 0
            return CursorPage(
                items: [RunbookPayload(.example("r\(number)"))], nextCursor: number < 4 ? "\(number + 1)" : nil)
        }
        let list = try await repository.runbooks(RunbookFilter(), .cacheFirst).value
        #expect(list.map(\.id.rawValue) == ["r0", "r1", "r2", "r3", "r4"])
    }

    @Test func `a runbook that moved between two pages is listed once`() async throws {
        client.on(ListRunbooks.self) { call, _ in
            call.cursor == nil
                ? CursorPage(
                    items: [RunbookPayload(.example("r1", title: "A")), RunbookPayload(.example("r2"))], nextCursor: "x"
                )
                : CursorPage(items: [RunbookPayload(.example("r1", title: "Z"))], nextCursor: nil)
        }
        let list = try await repository.runbooks(RunbookFilter(), .cacheFirst).value
        #expect(list.map(\.title) == ["Disk full", "Z"])
    }

    @Test(arguments: [1, 2, 5])
    func `a server whose pages never end is not walked for ever`(period: Int) async {
        client.on(ListRunbooks.self) { call, _ in
            let number = call.cursor.flatMap { Int($0) } ?? 0
            return CursorPage(items: [], nextCursor: "\((number + 1) % period)")
        }
        await #expect(throws: DomainError.self) { try await repository.runbooks(RunbookFilter(), .cacheFirst) }
        #expect(listCalls <= period + 1)
    }

    @Test func `a server with ever new cursors is given up`() async {
        client.on(ListRunbooks.self) { call, _ in
            CursorPage(items: [], nextCursor: "\((call.cursor.flatMap { Int($0) } ?? 0) + 1)")
        }
        await #expect(throws: DomainError.self) { try await repository.runbooks(RunbookFilter(), .cacheFirst) }
        #expect(listCalls <= 2001)
    }

    @Test func `another principal sees none of the stored runbooks`() async throws {
        serve(.example())
        _ = try await repository.runbooks(RunbookFilter(), .cacheFirst)
        let other = CachedRunbookRepository(client: client, reader: reader, principal: "bob@test", clock: clock)
        await expect(.isUnavailable) { () throws(DomainError) in
            _ = try await other.runbooks(RunbookFilter(), .cacheOnly)
        }
        #expect(await other.lastShown(id) == nil)
    }

    // MARK: While the server is away

    @Test func `a stored list is shown in an outage, marked stale`() async throws {
        serve(.example())
        _ = try await repository.runbooks(RunbookFilter(), .cacheFirst)
        serverIsAway()
        let list = try await repository.runbooks(RunbookFilter(), .refresh)
        #expect(list.value.count == 1)
        guard case .stale(let storedAt, let reason) = list.origin else {
            Issue.record("\(list.origin)")
            return
        }
        #expect(storedAt == clock.now)
        #expect(reason.contains("connection refused"))
    }

    @Test(arguments: [ReadPolicy.cacheFirst, .refresh, .cacheOnly])
    func `a runbook that was only listed can be shown`(policy: ReadPolicy) async throws {
        serve(.example(body: "the steps"))
        _ = try await repository.runbooks(RunbookFilter(), .cacheFirst)
        serverIsAway()
        let shown = try await repository.runbook(id, policy)
        #expect(shown.value.body == "the steps")
        guard case .stale = shown.origin else {
            Issue.record("\(shown.origin)")
            return
        }
    }

    @Test func `an outage with no stored list is an error that says so`() async {
        serverIsAway()
        await expect(.isUnavailable) { () throws(DomainError) in
            _ = try await repository.runbooks(RunbookFilter(), .cacheFirst)
        }
        await expect(.isUnavailable) { () throws(DomainError) in _ = try await repository.runbook(id, .cacheFirst) }
    }

    @Test func `a runbook that was shown can be shown after a write whose answer was lost`() async throws {
        serve(.example(body: "the steps"))
        _ = try await repository.runbook(id, .cacheFirst)
        client.fail(UpdateRunbook.self, .connectionLost("reset by peer"))
        let error = await expect(.isUnavailable) { () throws(DomainError) in
            _ = try await repository.update(id, to: RunbookDraft(title: "x", body: "y"), basedOn: 1)
        }
        #expect(error?.description.contains("shiftlog runbooks show r1 --refresh") == true)
        serverIsAway()
        #expect(try await repository.runbook(id, .cacheFirst).value.body == "the steps")
    }

    @Test func `an own write just before an outage takes nothing away`() async throws {
        serve(.example("r1", title: "A"), .example("r2", title: "B"), .example("r3", title: "C"))
        _ = try await repository.runbooks(RunbookFilter(), .cacheFirst)
        let read = clock.now
        clock.advance(by: .seconds(60))
        client.on(CreateRunbook.self) { _, _ in RunbookPayload(.example("r4", title: "Aa")) }
        client.on(UpdateRunbook.self) { _, _ in RunbookPayload(.example("r1", title: "Z", version: 2)) }
        client.on(DeleteRunbook.self) { _, _ in NoContent() }
        _ = try await repository.create(RunbookDraft(title: "Aa", body: "b"))
        _ = try await repository.update(Runbook.ID("r1"), to: RunbookDraft(title: "Z", body: "b"), basedOn: 1)
        try await repository.delete(Runbook.ID("r2"), basedOn: 1)
        serverIsAway()
        for policy in [ReadPolicy.cacheFirst, .refresh, .cacheOnly] {
            let list = try await repository.runbooks(RunbookFilter(), policy)
            #expect(list.value.map(\.title) == ["Aa", "C", "Z"])
            guard case .stale(read, _) = list.origin else {
                Issue.record("\(list.origin)")
                return
            }
        }
        #expect(try await repository.runbook(Runbook.ID("r3"), .cacheFirst).value.title == "C")
        serve(.example("r9", title: "New"))
        #expect(try await repository.runbooks(RunbookFilter(), .cacheFirst).value.map(\.title) == ["New"])
    }

    // MARK: Writing

    @Test func `a create names itself for its retries, each anew`() async throws {
        client.on(CreateRunbook.self) { call, _ in
            RunbookPayload(.example(title: call.draft.title))
        }
        for _ in 0..<2 { _ = try await repository.create(RunbookDraft(title: "A", body: "b")) }
        let keys = client.calls.compactMap(\.options.idempotencyKey)
        #expect(Set(keys).count == 2)
        #expect(keys.allSatisfy { $0.utf8.count == 36 })
    }

    @Test func `an update sends the version it is based on as a strong tag`() async throws {
        client.on(UpdateRunbook.self) { _, _ in RunbookPayload(.example(version: 8)) }
        _ = try await repository.update(id, to: RunbookDraft(title: "A", body: "b"), basedOn: 7)
        #expect(client.calls(to: UpdateRunbook.self).first?.ifMatch == IfMatch(EntityTag(version: 7)))
    }

    @Test func `a write replaces what was kept and is the base of the next`() async throws {
        serve(.example(version: 1))
        _ = try await repository.runbooks(RunbookFilter(), .cacheFirst)
        _ = try await repository.runbook(id, .cacheFirst)
        client.on(UpdateRunbook.self) { _, _ in RunbookPayload(.example(title: "Edited", version: 2)) }
        _ = try await repository.update(id, to: RunbookDraft(title: "Edited", body: "b"), basedOn: 1)
        #expect(await repository.lastShown(id)?.version == 2)
        #expect(try await repository.runbook(id, .cacheOnly).value.title == "Edited")
        _ = try await repository.runbooks(RunbookFilter(), .cacheFirst)
        #expect(listCalls == 2)
    }

    @Test func `after a 412 everything is read anew, but the base stays what was shown`() async throws {
        serve(.example(version: 1))
        _ = try await repository.runbooks(RunbookFilter(), .cacheFirst)
        _ = try await repository.runbook(id, .cacheFirst)
        client.fail(
            UpdateRunbook.self,
            .conflict(Problem(title: "Changed since you read it", status: 412, code: "version_mismatch")))
        let error = await expect(.isConflict) { () throws(DomainError) in
            _ = try await repository.update(id, to: RunbookDraft(title: "A", body: "b"), basedOn: 1)
        }
        #expect(
            error?.description
                == "Runbook 'r1' has changed since you read it; "
                + "'shiftlog runbooks show r1 --refresh' shows it, then edit again.")
        serve(.example(version: 2))
        #expect(await repository.lastShown(id)?.version == 1)
        #expect(try await repository.runbooks(RunbookFilter(), .cacheFirst).value.map(\.version) == [2])
        #expect(try await repository.runbook(id, .cacheFirst).value.version == 2)
        #expect(await repository.lastShown(id)?.version == 2)
    }

    @Test func `a refresh behind does not become the base of an edit`() async throws {
        serve(.example(version: 1))
        _ = try await repository.runbook(id, .cacheFirst)
        serve(.example(version: 2))
        clock.advance(by: .seconds(301))
        #expect(try await repository.runbook(id, .cacheFirst).value.version == 1)
        await reader.drain(upTo: .seconds(5))
        #expect(await repository.lastShown(id)?.version == 1)
    }

    @Test func `a write that was never sent keeps what is kept`() async throws {
        serve(.example())
        _ = try await repository.runbooks(RunbookFilter(), .cacheFirst)
        serverIsAway()
        let error = await expect(.isUnavailable) { () throws(DomainError) in
            _ = try await repository.create(RunbookDraft(title: "A", body: "b"))
        }
        #expect(error?.description.contains("Nothing was changed") == true)
        #expect(try await repository.runbooks(RunbookFilter(), .cacheFirst).value.count == 1)
    }

    @Test(arguments: [
        Runbook.ID(""), Runbook.ID("a b"), Runbook.ID("é"), Runbook.ID("."), Runbook.ID(".."),
        Runbook.ID(String(repeating: "x", count: 129)), Runbook.ID("a\u{0}"),
    ])
    func `text that is no id is not found, without a call`(id: Runbook.ID) async {
        await expect(.isNotFound) { () throws(DomainError) in _ = try await repository.runbook(id, .cacheFirst) }
        await expect(.isNotFound) { () throws(DomainError) in try await repository.delete(id, basedOn: 1) }
        #expect(client.calls.isEmpty)
    }

    // MARK: Updates

    @Test func `updates bring the list, then only lists that differ`() async throws {
        serve(.example(title: "One"))
        var updates = repository.updates(RunbookFilter()).makeAsyncIterator()
        #expect(await updates.next()?.value.map(\.title) == ["One"])
        _ = try await repository.runbooks(RunbookFilter(), .refresh)
        serve(.example(title: "Two"))
        _ = try await repository.runbooks(RunbookFilter(), .refresh)
        #expect(await updates.next()?.value.map(\.title) == ["Two"])
    }
}
