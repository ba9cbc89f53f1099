import Observation
import StrataConcurrency
import StrataDomain
import StrataPresentation
import StrataTesting
import Testing

@testable import SpecimensDomain

/// What a view shows while a list is read.
@Suite(.timeLimit(.minutes(5))) @MainActor struct `A list of specimens that is read again` {
    private let repository = FakeEntityRepository(.example("s-1"))
    private let model: EntityListModel<Specimen>

    init() { model = EntityListModel(Specimens(repository)) }

    /// Whether `work` assigned a value that a view shows.
    private func notifies(_ work: () async -> Void) async -> Bool {
        let changes = Shared([Bool]())
        withObservationTracking {
            _ = (model.items, model.isLoading, model.error, model.origin)
        } onChange: {
            changes.change { $0.append(true) }
        }
        await work()
        return !changes.value.isEmpty
    }

    /// Whether the model says that it loads, in each list from now on.
    private func loadingStates() -> Shared<[Bool]> {
        let (model, states) = (model, Shared([Bool]()))
        repository.change {
            $0.duringRead = { _ in
                let isLoading = await model.isLoading
                states.change { $0.append(isLoading) }
            }
        }
        return states
    }

    @Test func `only the first load shows that it loads`() async {
        let states = loadingStates()
        await model.load()
        await model.load()
        #expect(states.value == [true, false] && !model.isLoading)
        #expect(repository.current.policies == [.cacheFirst, .cacheFirst])
    }

    @Test func `a load after an empty list does not show that it loads`() async {
        repository.change { $0.items = [] }
        let states = loadingStates()
        await model.load()
        await model.load()
        #expect(states.value == [true, false])
    }

    @Test func `an identical list notifies no view`() async {
        #expect(await notifies { await model.load() })
        #expect(await notifies { await model.load() } == false)
        repository.change { $0.items = [.example("s-1", .other)] }
        #expect(await notifies { await model.load() })
        repository.change { $0.items[0].syncState = .queued }
        #expect(await notifies { await model.load() }, "the state of an entity is data too")
    }

    @Test func `an observed list arrives once for each difference`() async {
        let model = model
        var lists = Observations { model.items.map(\.version) }.makeAsyncIterator()
        #expect(await lists.next() == [])
        await model.load()
        #expect(await lists.next() == [3])
        await model.load()
        repository.change { $0.items = [.example("s-1", .other, version: 4)] }
        await model.load()
        #expect(await lists.next() == [4])
    }

    @Test func `a failed first load ends loading, and the next load shows that it loads`() async {
        repository.change { $0.failure = .unavailable("No connection.") }
        await model.load()
        #expect(!model.isLoading && model.items.isEmpty && model.snapshot == nil)
        #expect(model.error == .unavailable("No connection."))
        repository.change { $0.failure = nil }
        let states = loadingStates()
        await model.load()
        #expect(states.value == [true] && model.error == nil)
        #expect(model.items == [.example("s-1")])
    }

    @Test func `a read that ends late does not replace a newer one`() async {
        let gate = Gate()
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        repository.change {
            $0.duringRead = { number in
                guard number == 1 else { return }
                start.yield()
                try? await gate.wait()
            }
        }
        let model = model
        let old = Task { await model.load() }
        for await _ in started { break }
        repository.change { $0.items = [.example("s-1", .other, version: 4)] }
        await model.load()
        gate.open()
        await old.value
        #expect(model.items.map(\.version) == [4])
    }
}
