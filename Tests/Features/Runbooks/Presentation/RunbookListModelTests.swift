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
    private let shelf = RunbookShelf([.sample()])
    private let model: RunbookListModel

    init() { model = RunbookListModel(BrowseRunbooks(shelf)) }

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

    @Test func `a cold start loads, and says so`() async {
        let model = model
        let seen = Seen()
        shelf.change { $0.duringRead = { _ in await seen.add(model.isLoading) } }
        await model.load()
        #expect(await seen.all == [true])
        #expect(!model.isLoading)
        #expect(model.items == [.sample()])
        #expect(model.origin == .server)
    }

    @Test func `a refresh is silent`() async {
        await model.load()
        let model = model
        let seen = Seen()
        shelf.change { $0.duringRead = { _ in await seen.add(model.isLoading) } }
        await model.load(.refresh)
        #expect(await seen.all == [false])
        #expect(shelf.current.policies == [.cacheFirst, .refresh])
    }

    @Test func `an empty list is an answer, so the next load is silent too`() async {
        shelf.change { $0.runbooks = [] }
        await model.load()
        let model = model
        let seen = Seen()
        shelf.change { $0.duringRead = { _ in await seen.add(model.isLoading) } }
        await model.load()
        #expect(await seen.all == [false])
    }

    @Test func `identical data changes nothing on screen`() async {
        #expect(await notifies { await model.load() })
        #expect(await notifies { await model.load(.refresh) } == false)
        shelf.change { $0.runbooks[0].title = "Other" }
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
        shelf.change { $0.runbooks[0].title = "Other" }
        await model.load()
        #expect(await lists.next() == ["Other"])
    }

    @Test func `a failed refresh keeps the items and tells why`() async {
        await model.load()
        shelf.change { $0.failure = .unavailable("No connection.") }
        await model.load(.refresh)
        #expect(model.items == [.sample()])
        #expect(model.error == .unavailable("No connection."))
        #expect(await notifies { await model.load(.refresh) } == false, "the same failure again is no news")
        shelf.change { $0.failure = nil }
        await model.load(.refresh)
        #expect(model.error == nil)
    }

    @Test func `a failed cold start stops loading and may be tried again`() async {
        shelf.change { $0.failure = .unavailable("No connection.") }
        await model.load()
        #expect(!model.isLoading)
        #expect(model.items.isEmpty && model.origin == nil)
        #expect(model.error == .unavailable("No connection."))
        let model = model
        let seen = Seen()
        shelf.change {
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
        shelf.change {
            $0.duringRead = { number in
                guard number == 0 else { return }
                start.yield()
                try? await gate.wait()
            }
        }
        let model = model
        let old = Task { await model.load() }
        for await _ in started { break }
        shelf.change { $0.runbooks[0].title = "Newer" }
        await model.load(.refresh)
        gate.open()
        await old.value
        #expect(model.items.map(\.title) == ["Newer"])
    }

    @Test func `what a refresh behind brings is shown`() async {
        await model.load()
        shelf.bring(Snapshot([.sample(title: "Brought")], .server))
        shelf.bringNothingMore()
        await model.follow()
        #expect(model.items.map(\.title) == ["Brought"])
    }

    @Test func `a cancelled load is no error to show`() async {
        shelf.change { $0.failure = .cancelled }
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
