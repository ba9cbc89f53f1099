import FoundationEssentials
import JournalDomain
import StrataDomain
import StrataTesting
import Testing

@Suite struct `Journal use cases` {
    private let repository = FakeJournalRepository()
    private var journal: Journal { Journal(repository, identity: SmallDigest(), clock: ManualWallClock()) }

    @Test func `the fake keeps the promises of the port`() async throws {
        try await JournalRepositoryContract { FakeJournalRepository() }.check()
    }

    @Test func `adding stores a checked draft`() async throws {
        let draft = JournalDraft(host: "web1", text: "disk full", occurredAt: .newYear)
        #expect(try await journal.get(journal.create(draft)).content == draft.entry)
    }

    @Test func `adding an id twice answers with the entry there is`() async throws {
        let draft = JournalDraft(id: JournalEntry.ID("e1"), host: "web1", text: "disk full", occurredAt: .newYear)
        let first = try await journal.create(draft)
        #expect(try await journal.create(draft) == first)
        #expect(try await journal.list().count == 1)
    }

    @Test(arguments: [
        JournalDraft(host: "", text: "x", occurredAt: .newYear),
        JournalDraft(host: "a b", text: "x", occurredAt: .newYear),
        JournalDraft(host: "web1", text: "", occurredAt: .newYear),
        JournalDraft(host: "web1", text: "nul \u{0}", occurredAt: .newYear),
        JournalDraft(host: "web1", text: String(repeating: "x", count: 16_385), occurredAt: .newYear),
        JournalDraft(host: "web1", text: "x", occurredAt: .newYear, runbookId: ""),
        JournalDraft(host: "web1", text: "x", occurredAt: .newYear, runbookId: "a b"),
    ])
    func `a draft that breaks a rule is not stored`(draft: JournalDraft) async throws {
        await #expect(throws: DomainError.self) { try await journal.create(draft) }
        #expect(try await journal.list().isEmpty)
    }

    @Test func `an edit that changes nothing is refused`() async throws {
        let id = try await journal.create(JournalDraft(host: "web1", text: "x", occurredAt: .newYear))
        await #expect(throws: DomainError.self) { try await journal.update(id, [:]) }
        try await journal.update(id, ["text": .string("y")])
        #expect(try await journal.get(id).text == "y")
    }

    @Test func `a removed entry cannot be read`() async throws {
        let id = try await journal.create(JournalDraft(host: "web1", text: "x", occurredAt: .newYear))
        try await journal.delete(id)
        await #expect(throws: DomainError.self) { try await journal.get(id) }
    }

    @Test(arguments: [0, -1, Int.min])
    func `a limit below one is refused`(limit: Int) async {
        await #expect(throws: DomainError.self) { try await journal.list(JournalFilter(limit: limit)) }
    }
}
