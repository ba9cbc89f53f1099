import RunbooksDomain
import StrataDomain
import StrataFeatureTesting
import Testing

@Suite struct `Runbook use cases` {
    private let repository = FakeRunbookRepository([.example("r1", title: "Disk full", body: "one", tags: ["disk"])])
    private var runbooks: Runbooks { Runbooks(repository) }
    private let id = Runbook.ID("r1")

    @Test func `the fake keeps the promises of the port`() async throws {
        try await RunbookRepositoryContract(repository: FakeRunbookRepository()).check()
    }

    @Test func `an edit keeps the fields that it does not name`() async throws {
        _ = try await runbooks.get(id)
        let edited = try await runbooks.update(id, RunbookEdit(body: "two"))
        #expect((edited.title, edited.body, edited.tags) == ("Disk full", "two", ["disk"]))
        #expect(edited.version == 2)
    }

    @Test func `an edit of what was never shown reads it first`() async throws {
        #expect(try await runbooks.update(id, RunbookEdit(title: "Disk nearly full")).version == 2)
    }

    @Test func `an edit after a change by another person is a conflict, not an overwrite`() async throws {
        _ = try await runbooks.get(id)
        repository.changeElsewhere(.example("r1", body: "theirs"))
        await expect(.isConflict) { () throws(DomainError) in
            _ = try await runbooks.update(id, RunbookEdit(body: "mine"))
        }
        #expect(try await runbooks.get(id, policy: .refresh).value.body == "theirs")
        #expect(try await runbooks.update(id, RunbookEdit(body: "both")).body == "both")
    }

    @Test func `a refresh in the background does not hide a change by another person`() async throws {
        _ = try await runbooks.get(id)
        repository.changeElsewhere(.example("r1", body: "theirs"))
        repository.refreshBehind()
        await expect(.isConflict) { () throws(DomainError) in
            _ = try await runbooks.update(id, RunbookEdit(body: "mine"))
        }
        await expect(.isConflict) { () throws(DomainError) in try await runbooks.delete(id) }
    }

    @Test func `an edit of nothing is refused before anything is read`() async {
        repository.change { $0.failure = .unavailable("The server is away.") }
        await expect(.isValidation) { () throws(DomainError) in _ = try await runbooks.update(id, RunbookEdit()) }
    }

    @Test(arguments: [
        RunbookEdit(title: ""), RunbookEdit(title: "a\nb"), RunbookEdit(title: String(repeating: "x", count: 201)),
        RunbookEdit(body: ""), RunbookEdit(body: "\u{0}"), RunbookEdit(body: String(repeating: "x", count: 262_145)),
        RunbookEdit(tags: ["Disk"]), RunbookEdit(tags: ["a b"]), RunbookEdit(tags: [""]),
        RunbookEdit(tags: ["a", "a"]),
        RunbookEdit(tags: (0..<21).map { "t\($0)" }), RunbookEdit(tags: [String(repeating: "x", count: 41)]),
    ])
    func `an edit that breaks a rule is not sent`(edit: RunbookEdit) async throws {
        await expect(.isValidation) { () throws(DomainError) in _ = try await runbooks.update(id, edit) }
        let draft = edit.draft(for: .example())
        await expect(.isValidation) { () throws(DomainError) in _ = try await runbooks.create(draft) }
        #expect(try await runbooks.list(policy: .refresh).value.map(\.version) == [1])
    }

    @Test func `a deletion is based on the version that was shown`() async throws {
        try await runbooks.delete(id)
        #expect(try await runbooks.list().value.isEmpty)
        await expect(.isNotFound) { () throws(DomainError) in try await runbooks.delete(id) }
    }

    @Test func `a list says that it is stale when the server is away`() async throws {
        _ = try await runbooks.list()
        repository.change { $0.failure = .unavailable("The server is away.") }
        let list = try await runbooks.list(policy: .refresh)
        #expect(list.value.count == 1)
        guard case .stale = list.origin else {
            Issue.record("\(list.origin)")
            return
        }
    }

    @Test func `updates begin with the list and bring each refresh`() async throws {
        var updates = runbooks.updates(RunbookFilter(tag: "disk")).makeAsyncIterator()
        #expect(await updates.next()?.value.map(\.body) == ["one"])
        repository.changeElsewhere(.example("r1", body: "two", tags: ["disk"]))
        repository.refreshBehind()
        #expect(await updates.next()?.value.map(\.body) == ["two"])
    }
}

@Suite struct `A runbook filter` {
    @Test(arguments: [
        (RunbookFilter(), true), (RunbookFilter(text: ""), true), (RunbookFilter(text: "DISK"), true),
        (RunbookFilter(text: "straße"), true), (RunbookFilter(text: "STRASSE"), false),
        (RunbookFilter(text: "%"), false), (RunbookFilter(tag: "disk"), true), (RunbookFilter(tag: "dis"), false),
        (RunbookFilter(tag: "Disk"), false), (RunbookFilter(tag: "disk", text: "nothing"), false),
    ])
    func `a runbook filter matches tag and text together`(filter: RunbookFilter, isMatch: Bool) {
        #expect(filter.matches(.example(title: "Disk full", body: "in der Straße", tags: ["disk", "db"])) == isMatch)
    }
}
