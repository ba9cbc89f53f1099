import Observation
package import RunbooksDomain
package import StrataDomain

/// A list of runbooks for a view: shown at once from what is kept, replaced only when something is different.
@Observable @MainActor
package final class RunbookListModel {
    package private(set) var items: [Runbook] = []
    /// Only while nothing was ever shown; a refresh of a list that is there is silent.
    package private(set) var isLoading = false
    /// Why the newest read failed; the items stay.
    package private(set) var error: DomainError?
    /// Where the items came from; `nil` before the first answer.
    package private(set) var origin: SnapshotOrigin?

    @ObservationIgnored private let browse: BrowseRunbooks
    @ObservationIgnored private let filter: RunbookFilter
    /// The read that was started last; an older one that ends later must not win.
    @ObservationIgnored private var newestRead = 0

    package init(_ browse: BrowseRunbooks, filter: RunbookFilter = RunbookFilter()) {
        self.browse = browse
        self.filter = filter
    }

    /// Reads the list.
    package func load(_ policy: ReadPolicy = .cacheFirst) async {
        newestRead += 1
        let read = newestRead
        if origin == nil, !isLoading { isLoading = true }
        do {
            let snapshot = try await browse(filter, policy: policy)
            if read == newestRead { show(snapshot) }
        } catch {
            if read == newestRead { fail(error) }
        }
    }

    /// Shows every newer list that a refresh behind brings, until the task is cancelled.
    package func follow() async {
        for await snapshot in browse.updates(filter) { show(snapshot) }
    }

    // The observation macro notifies on every assignment of some types, so each is compared first.
    private func show(_ snapshot: Snapshot<[Runbook]>) {
        if items != snapshot.value { items = snapshot.value }
        if origin != snapshot.origin { origin = snapshot.origin }
        if error != nil { error = nil }
        if isLoading { isLoading = false }
    }

    private func fail(_ failure: DomainError) {
        if isLoading { isLoading = false }
        // Whoever cancels knows; a message about it would be noise.
        if failure != .cancelled, error != failure { error = failure }
    }
}
