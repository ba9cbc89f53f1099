import FoundationEssentials
import JournalDomain
import StrataDomain
import StrataFeatureTesting
import StrataTesting
import Testing

/// What every `JournalRepository` promises; run it on the fake and on the real one.
struct JournalRepositoryContract {
    /// Makes an empty journal.
    let make: () async throws -> any JournalRepository

    func check() async throws {
        try await entriesComeNewestFirst()
        try await filtersApplyTogether()
        try await aSearchFindsAPartOfTheText()
        try await matchesAreCountedUpToABound()
        try await idsAreFoundByTheirEndsAndBeginnings()
        try await aKnownIdIsLeftOut()
        try await whatIsMissingIsNotFound()
        try await anEditTouchesOnlyItsFields()
        try await aRemovedEntryIsGone()
        try await changesAreTold()
    }

    private func draft(_ text: String, after seconds: Double = 0, host: String = "web1", _ severity: Severity = .info)
        -> JournalDraft
    {
        JournalDraft(host: host, severity: severity, text: text, occurredAt: .noon + seconds)
    }

    private func entriesComeNewestFirst() async throws {
        let journal = try await make()
        let added = try await journal.create([draft("b", after: 1), draft("c", after: 2), draft("a")])
        #expect(Set(added).count == 3)
        let items = try await journal.entries(JournalFilter())
        #expect(items.map(\.text) == ["c", "b", "a"])
        #expect(items.allSatisfy { $0.syncState == .queued && $0.version == 0 })
    }

    private func filtersApplyTogether() async throws {
        let journal = try await make()
        _ = try await journal.create([
            draft("old", host: "web1", .critical), draft("new", after: 60, host: "web1", .critical),
            draft("other", after: 61, host: "web2", .critical), draft("mild", after: 62, host: "web1", .warning),
            draft("newest", after: 63, host: "web1", .critical),
        ])
        let filter = JournalFilter(since: .noon + 60, host: "web1", severity: .critical)
        #expect(try await journal.entries(filter).map(\.text) == ["newest", "new"])
        let reduced = try await journal.reduce(filter, into: [Stored<JournalEntry>]()) { $0.append($1) }
        #expect(try await journal.entries(filter) == reduced)
        var first = filter
        first.limit = 1
        #expect(try await journal.entries(first).map(\.text) == ["newest"])
    }

    /// As `EntityQuery.entities(of:)` does, which the server's list is compared with.
    private func aSearchFindsAPartOfTheText() async throws {
        let journal = try await make()
        let texts = ["Disk full", "50% wet", "a_b", "back\\slash", "Ärger", "it's"]
        _ = try await journal.create(texts.map { draft($0, host: "full") })
        for search in ["dISK", "FULL", "%", "0% w", "_", "\\", "ÄRGER", "ärger", "Ä", "'", "nothing", "b' OR 1=1 --"] {
            let found = try await journal.entries(JournalFilter(search: search)).map(\.text)
            let expected = texts.filter { text in
                let item = Stored(
                    id: JournalEntry.ID("e"), draft(text, host: "full").entry, version: 1, updatedAt: .noon)
                return !EntityQuery(search: search).entities(of: [item]).isEmpty
            }
            #expect(Set(found) == Set(expected), "\(search)")
        }
        let both = JournalFilter(host: "none", search: "disk")
        #expect(try await journal.entries(both).isEmpty)
    }

    private func matchesAreCountedUpToABound() async throws {
        let journal = try await make()
        _ = try await journal.create([draft("a"), draft("b", host: "web2"), draft("c", after: 1), draft("d", after: 2)])
        let filter = JournalFilter(host: "web1", limit: 1)
        #expect(try await journal.count(filter, atMost: 10) == 3)
        #expect(try await journal.count(filter, atMost: 2) == 2)
        #expect(try await journal.count(JournalFilter(), atMost: 10) == 4)
    }

    private func idsAreFoundByTheirEndsAndBeginnings() async throws {
        let journal = try await make()
        let ids = ["019a9a3e-1f00-7000-8000-00000b77e01d", "b77e01d0-1f00-7000-8000-00000c77e01e"].map {
            JournalEntry.ID($0)
        }
        for id in ids {
            var named = draft("x")
            named.id = id
            _ = try await journal.create([named])
        }
        #expect(try await journal.ids(with: "0b77e01d") == [ids[0]])
        #expect(try await Set(journal.ids(with: "b77e01d")) == Set(ids))
        #expect(try await journal.ids(with: "1f00-7000").isEmpty)
        #expect(try await journal.ids(with: "%").isEmpty)
    }

    private func aKnownIdIsLeftOut() async throws {
        let journal = try await make()
        var one = draft("one")
        one.id = JournalEntry.ID("11111111-1111-8111-8111-111111111111")
        #expect(try await journal.create([one]) == [one.id])
        let added = try #require(try await journal.create([one, draft("two")]).first)
        #expect(try await journal.get(added, .cacheFirst).value.text == "two")
        #expect(try await journal.entries(JournalFilter()).count == 2)
    }

    private func whatIsMissingIsNotFound() async throws {
        let journal = try await make()
        let id = JournalEntry.ID("nowhere")
        #expect(
            await DomainError.Kind.ofFailure { () throws(DomainError) in _ = try await journal.get(id, .cacheFirst) }
                == .notFound)
        #expect(
            await DomainError.Kind.ofFailure { () throws(DomainError) in
                _ = try await journal.update(id, ["text": .string("x")])
            } == .notFound)
        #expect(
            await DomainError.Kind.ofFailure { () throws(DomainError) in try await journal.delete(id, basedOn: 0) }
                == .notFound)
    }

    private func anEditTouchesOnlyItsFields() async throws {
        let journal = try await make()
        let id = try #require(try await journal.create([draft("disk full", host: "web1", .warning)]).first)
        let entry = try await journal.get(id, .cacheFirst).value
        try await journal.update(id, ["severity": Severity.critical.fieldValue])
        let edited = try await journal.get(id, .cacheFirst).value
        #expect(edited.severity == .critical)
        #expect((edited.text, edited.host, edited.occurredAt) == (entry.text, entry.host, entry.occurredAt))
    }

    private func aRemovedEntryIsGone() async throws {
        let journal = try await make()
        let id = try #require(try await journal.create([draft("oops")]).first)
        try await journal.delete(id, basedOn: 0)
        #expect(try await journal.entries(JournalFilter()).isEmpty)
        #expect(
            await DomainError.Kind.ofFailure { () throws(DomainError) in _ = try await journal.get(id, .cacheFirst) }
                == .notFound
        )
    }

    private func changesAreTold() async throws {
        let journal = try await make()
        var changes = journal.changes().makeAsyncIterator()
        #expect(await changes.next() != nil)
        _ = try await journal.create([draft("x")])
        #expect(await changes.next() != nil)
    }
}
