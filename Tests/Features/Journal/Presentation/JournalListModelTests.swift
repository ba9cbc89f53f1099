import FoundationEssentials
import JournalDomain
import Observation
import StrataConcurrency
import StrataDomain
import StrataPresentation
import Testing

@MainActor
struct JournalListModelTests {
    private let repository = FakeJournalRepository([.sample()])
    private let model: EntityListModel<JournalEntry>

    init() { model = EntityListModel(Journal(repository, identity: SmallDigest()).entries) }

    private final class Flag: Sendable {
        private let changed = Mutex(false)
        var isSet: Bool { changed.withLock { $0 } }
        func set() { changed.withLock { $0 = true } }
    }

    /// Whether anything a view shows was assigned while `work` ran.
    private func notifies(_ work: () async -> Void) async -> Bool {
        let flag = Flag()
        withObservationTracking {
            _ = (model.snapshot, model.isLoading, model.error)
        } onChange: {
            flag.set()
        }
        await work()
        return flag.isSet
    }

    @Test func `only the first load shows that it loads`() async {
        let model = model
        let seen = Flag()
        repository.change { $0.duringRead = { if await model.isLoading { seen.set() } } }
        await model.load()
        #expect(seen.isSet && !model.isLoading)
        #expect(model.items == [.sample()])

        let later = Flag()
        repository.change { $0.duringRead = { if await model.isLoading { later.set() } } }
        await model.load()
        #expect(!later.isSet)
    }

    @Test func `identical data changes nothing on screen`() async {
        #expect(await notifies { await model.load() })
        #expect(await notifies { await model.load() } == false)
        repository.change { $0.items[0].syncState = .queued }
        #expect(await notifies { await model.load() }, "the state of an entry is data too")
    }

    @Test func `a failed load keeps the items and tells why, once`() async {
        await model.load()
        repository.change { $0.failure = .storage("Damaged.") }
        await model.load()
        #expect(model.items == [.sample()])
        #expect(model.error == .storage("Damaged."))
        #expect(await notifies { await model.load() } == false)
        repository.change { $0.failure = nil }
        await model.load()
        #expect(model.error == nil)
    }

    @Test func `a failed first load stops loading`() async {
        repository.change { $0.failure = .storage("Damaged.") }
        await model.load()
        #expect(!model.isLoading && model.snapshot == nil)
    }

    @Test func `a followed list shows each new entry`() async throws {
        let model = model
        var lists = Observations { model.items.count }.makeAsyncIterator()
        #expect(await lists.next() == 0)
        let following = Task { try await model.follow() }
        #expect(await lists.next() == 1)
        repository.put(.sample("e2"))
        #expect(await lists.next() == 2)
        following.cancel()
        try await following.value
    }
}
