public import Observation
public import StrataDomain

/// A list of entities for a view: shows the stored copy at once, and changes only when the data differs.
@Observable @MainActor
public final class EntityListModel<Content: Entity> {
    public private(set) var items: [Stored<Content>] = []
    /// The origin of the items; `nil` before the first response. Apart from them, because it changes more often.
    public private(set) var origin: SnapshotOrigin?
    /// True until the first response; a refresh of a shown list is silent.
    public private(set) var isLoading = false
    /// The error of the newest read; the items stay.
    public private(set) var error: DomainError?

    @ObservationIgnored private let entities: EntityUseCases<Content>
    /// The number of the newest read; the result of an older one is dropped.
    @ObservationIgnored private var newestRead = 0

    /// Which entities the next read asks for.
    public var query: EntityQuery<Content>

    /// - Parameter query: Default: all, newest first.
    public init(_ entities: EntityUseCases<Content>, _ query: EntityQuery<Content> = EntityQuery()) {
        self.entities = entities
        self.query = query
    }

    /// The items and their origin; `nil` before the first response.
    public var snapshot: Snapshot<[Stored<Content>]>? { origin.map { Snapshot(items, $0) } }

    /// Reads the list.
    public func load(_ policy: ReadPolicy = .cacheFirst) async {
        newestRead += 1
        let read = newestRead
        if origin == nil, !isLoading { isLoading = true }
        do {
            let newer = try await entities.list(query, policy)
            if read == newestRead { show(newer) }
        } catch {
            if read == newestRead { fail(error) }
        }
    }

    /// Reads the list now and after each possible change, until the task is cancelled.
    public func follow() async {
        for await _ in entities.changes(of: query) { await load() }
    }

    // Some types are observed at every assignment, so values are compared first.
    private func show(_ newer: Snapshot<[Stored<Content>]>) {
        if items != newer.value { items = newer.value }
        if origin != newer.origin { origin = newer.origin }
        if error != nil { error = nil }
        if isLoading { isLoading = false }
    }

    private func fail(_ failure: DomainError) {
        if isLoading { isLoading = false }
        if failure != .cancelled, error != failure { error = failure }
    }
}
