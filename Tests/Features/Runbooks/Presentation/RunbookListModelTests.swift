import FoundationEssentials
import Observation
import RunbooksDomain
import RunbooksPresentation
import StrataConcurrency
import StrataDomain
import StrataTesting
import Testing

@MainActor
struct RunbookListModelTests {
    private let repository = FakeRunbookRepository([.sample()])
    private let model: RunbookListModel

    init() { model = RunbookListModel(Runbooks(repository)) }

    /// Whether anything a view shows was assigned while `work` ran.
    private func notifies(_ work: () async -> Void) async -> Bool {
        let flag = Flag()
        withObservationTracking {
            _ = (model.items, model.isLoading, model.error, model.origin)
        } onChange: {
            flag.set()
        }
        await work()
        return flag.isSet
    }

    private final class Flag: Sendable {
        private let changed = Mutex(false)
        var isSet: Bool { changed.withLock { $0 } }
        func set() { changed.withLock { $0 = true } }
    }

    @Test func `the first load shows that it loads`() async {
        let model = model
        let seen = Seen()
        repository.change { $0.duringRead = { _ in await seen.add(model.isLoading) } }
        await model.load()
        #expect(await seen.all == [true])
        #expect(!model.isLoading)
        #expect(model.items == [.sample()])
        #expect(model.origin == .server)
    }

    @Test func `a refresh does not show that it loads`() async {
        await model.load()
        let model = model
        let seen = Seen()
        repository.change { $0.duringRead = { _ in await seen.add(model.isLoading) } }
        await model.load(.refresh)
        #expect(await seen.all == [false])
        #expect(repository.current.policies == [.cacheFirst, .refresh])
    }

    @Test func `a load after an empty list does not show that it loads`() async {
        let repository = FakeRunbookRepository()
        let model = RunbookListModel(Runbooks(repository))
        await model.load()
        let seen = Seen()
        repository.change { $0.duringRead = { _ in await seen.add(model.isLoading) } }
        await model.load()
        #expect(await seen.all == [false])
    }

    @Test func `identical data changes nothing on screen`() async {
        #expect(await notifies { await model.load() })
        #expect(await notifies { await model.load(.refresh) } == false)
        repository.changeElsewhere(.sample(title: "Other"))
        #expect(await notifies { await model.load(.refresh) })
    }

    @Test func `an observed list arrives once per difference`() async {
        let model = model
        var lists = Observations { model.items.map(\.title) }.makeAsyncIterator()
        #expect(await lists.next() == [])
        await model.load()
        #expect(await lists.next() == ["Restart"])
        await model.load()
        await model.load()
        repository.changeElsewhere(.sample(title: "Other"))
        await model.load(.refresh)
        #expect(await lists.next() == ["Other"])
    }

    @Test func `a failed refresh keeps the items and tells why`() async {
        await model.load()
        repository.change { $0.failure = .storage("Damaged.") }
        await model.load(.refresh)
        #expect(model.items == [.sample()])
        #expect(model.error == .storage("Damaged."))
        #expect(await notifies { await model.load(.refresh) } == false, "the same failure again is no news")
        repository.change { $0.failure = nil }
        await model.load(.refresh)
        #expect(model.error == nil)
    }

    @Test func `a failed cold start stops loading and may be tried again`() async {
        repository.change { $0.failure = .unavailable("No connection.") }
        await model.load()
        #expect(!model.isLoading)
        #expect(model.items.isEmpty && model.origin == nil)
        #expect(model.error == .unavailable("No connection."))
        let model = model
        let seen = Seen()
        repository.change {
            $0.failure = nil
            $0.duringRead = { _ in await seen.add(model.isLoading) }
        }
        await model.load()
        #expect(await seen.all == [true], "nothing was ever shown, so it is a cold start still")
        #expect(model.items == [.sample()])
    }

    @Test func `a read that ends late does not undo a newer one`() async {
        let gate = Gate()
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        repository.change {
            $0.duringRead = { number in
                guard number == 0 else { return }
                start.yield()
                try? await gate.wait()
            }
        }
        let model = model
        let old = Task { await model.load() }
        for await _ in started { break }
        repository.changeElsewhere(.sample(title: "Newer"))
        await model.load(.refresh)
        gate.open()
        await old.value
        #expect(model.items.map(\.title) == ["Newer"])
    }

    @Test func `a followed list shows each refresh in the background`() async {
        let model = model
        var lists = Observations { model.items.map(\.title) }.makeAsyncIterator()
        #expect(await lists.next() == [])
        let following = Task { await model.follow() }
        #expect(await lists.next() == ["Restart"])
        repository.changeElsewhere(.sample(title: "Brought"))
        repository.refreshBehind()
        #expect(await lists.next() == ["Brought"])
        following.cancel()
        await following.value
    }

    @Test func `a cancelled load is no error to show`() async {
        repository.change { $0.failure = .cancelled }
        await model.load()
        #expect(model.error == nil)
        #expect(!model.isLoading)
    }
}

/// Values in the order they were seen.
private actor Seen {
    private(set) var all: [Bool] = []
    func add(_ value: Bool) { all.append(value) }
}
