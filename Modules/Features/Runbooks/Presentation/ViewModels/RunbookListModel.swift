import Observation
package import RunbooksDomain
package import StrataDomain

/// A list of runbooks for a view. It shows a stored list at once and replaces it only by a different one.
@Observable @MainActor
package final class RunbookListModel {
    package private(set) var items: [Runbook] = []
    /// True only before the first list; a refresh of a shown list does not set it.
    package private(set) var isLoading = false
    /// Why the latest read failed; the items stay.
    package private(set) var error: DomainError?
    /// The origin of the items; `nil` before the first list.
    package private(set) var origin: SnapshotOrigin?

    @ObservationIgnored private let runbooks: Runbooks
    @ObservationIgnored private let filter: RunbookFilter
    /// Number of the latest read. An older one that ends later is ignored.
    @ObservationIgnored private var latestRead = 0

    package init(_ runbooks: Runbooks, filter: RunbookFilter = RunbookFilter()) {
        self.runbooks = runbooks
        self.filter = filter
    }

    /// Reads the list.
    package func load(_ policy: ReadPolicy = .cacheFirst) async {
        latestRead += 1
        let read = latestRead
        if origin == nil, !isLoading { isLoading = true }
        do {
            let snapshot = try await runbooks.list(filter, policy: policy)
            if read == latestRead { show(snapshot) }
        } catch {
            if read == latestRead { fail(error) }
        }
    }

    /// Shows each list of a background refresh until the task is cancelled.
    package func follow() async {
        for await snapshot in runbooks.updates(filter) { show(snapshot) }
    }

    // The observation macro may notify on every assignment, so values are compared first.
    private func show(_ snapshot: Snapshot<[Runbook]>) {
        if items != snapshot.value { items = snapshot.value }
        if origin != snapshot.origin { origin = snapshot.origin }
        if error != nil { error = nil }
        if isLoading { isLoading = false }
    }

    private func fail(_ failure: DomainError) {
        if isLoading { isLoading = false }
        // A cancellation needs no message.
        if failure != .cancelled, error != failure { error = failure }
    }
}
