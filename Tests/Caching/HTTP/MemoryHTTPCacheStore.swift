import FoundationEssentials
import StrataConcurrency
import StrataDomain

@testable import StrataCaching
@testable import StrataHTTPCache

/// A store that keeps everything in memory, counts what it is asked, and can be told to fail.
final class MemoryHTTPCacheStore: HTTPCacheStore {
    private struct Entry {
        var response: StoredResponse
        var body: Data
        var keptUntil: Date
        var tags: Set<String>
    }

    private struct State {
        var entries: [HTTPCacheKey: [Entry]] = [:]
        var isFailing = false
        var losesBodies = false
        var stored = 0
        var generations: [String: Int] = [:]

        func generation(of names: Set<String>) -> Int {
            names.reduce(generations["", default: 0]) { $0 + generations[$1, default: 0] }
        }

        func isCurrent(_ generation: HTTPCacheGeneration?) -> Bool {
            generation.map { $0.generation.local == self.generation(of: $0.names) } ?? true
        }
    }

    private let state = Mutex(State())

    init() {}

    /// Reads find nothing and writes are lost, as with a disk that is gone.
    var isFailing: Bool {
        get { state.withLock(\.isFailing) }
        set { state.withLock { $0.isFailing = newValue } }
    }

    /// Heads are there, but their bodies cannot be read.
    var losesBodies: Bool {
        get { state.withLock(\.losesBodies) }
        set { state.withLock { $0.losesBodies = newValue } }
    }

    /// How many responses were stored so far.
    var stored: Int { state.withLock(\.stored) }

    /// Everything that is kept, whoever it belongs to.
    var all: [(key: HTTPCacheKey, response: StoredResponse, body: Data)] {
        state.withLock { state in
            state.entries.flatMap { key, entries in entries.map { (key, $0.response, $0.body) } }
        }
    }

    func responses(for key: HTTPCacheKey) async -> [StoredResponse] {
        state.withLock { $0.isFailing ? [] : ($0.entries[key] ?? []).map(\.response) }
    }

    func body(of response: StoredResponse, for key: HTTPCacheKey) async -> Data? {
        state.withLock { state in
            state.isFailing || state.losesBodies
                ? nil : state.entries[key]?.first { $0.response.id == response.id }?.body
        }
    }

    @discardableResult
    func store(
        _ response: StoredResponse, body: Data, for key: HTTPCacheKey, replacing replaced: Set<UUID>, keptUntil: Date,
        tags: Set<String>, since generation: HTTPCacheGeneration?
    ) async -> Bool {
        state.withLock { state in
            guard !state.isFailing, state.isCurrent(generation) else { return false }
            state.stored += 1
            let entry = Entry(response: response, body: body, keptUntil: keptUntil, tags: tags)
            let others = (state.entries[key] ?? []).filter { !replaced.contains($0.response.id) }
            state.entries[key] = [entry] + others
            return true
        }
    }

    @discardableResult
    func update(
        _ response: StoredResponse, for key: HTTPCacheKey, keptUntil: Date, since generation: HTTPCacheGeneration?
    ) async -> Bool {
        state.withLock { state in
            guard state.isCurrent(generation) else { return false }
            guard !state.isFailing, let place = state.entries[key]?.firstIndex(where: { $0.response.id == response.id })
            else { return true }
            state.entries[key]?[place].response = response
            state.entries[key]?[place].keptUntil = keptUntil
            return true
        }
    }

    func remove(_ ids: Set<UUID>, for key: HTTPCacheKey) async {
        state.withLock { $0.entries[key]?.removeAll { ids.contains($0.response.id) } }
    }

    func removeAll(for key: HTTPCacheKey) async { state.withLock { $0.entries[key] = nil } }

    func removeAll(tagged tag: String) async {
        await invalidate(tag)
        state.withLock { state in
            state.entries = state.entries.mapValues { $0.filter { !$0.tags.contains(tag) } }
        }
    }

    func removeAll() async {
        await invalidate("")
        state.withLock { $0.entries = [:] }
    }

    func generation(of names: Set<String>) async -> HTTPCacheGeneration {
        HTTPCacheGeneration(of: names, CacheGeneration(local: state.withLock { $0.generation(of: names) }, shared: nil))
    }

    func invalidate(_ name: String) async { state.withLock { $0.generations[name, default: 0] += 1 } }

    func removeExpired() async {}
}
