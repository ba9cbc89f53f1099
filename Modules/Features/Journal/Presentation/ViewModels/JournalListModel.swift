package import JournalDomain
import Observation
package import StrataDomain

/// A list of stored journal entries for a view, replaced only by a different one.
@Observable @MainActor
package final class JournalListModel {
    package private(set) var items: [JournalItem] = []
    /// True only before the first list; a refresh of a shown list does not set it.
    package private(set) var isLoading = false
    /// Why the latest read failed; the items stay.
    package private(set) var error: DomainError?
    /// Whether a read has succeeded, also with an empty list.
    package private(set) var isLoaded = false

    @ObservationIgnored private let journal: Journal
    @ObservationIgnored private let filter: JournalFilter
    /// Number of the latest read. An older one that ends later is ignored.
    @ObservationIgnored private var latestRead = 0

    package init(_ journal: Journal, filter: JournalFilter = JournalFilter()) {
        self.journal = journal
        self.filter = filter
    }

    /// Reads the list.
    package func load() async {
        latestRead += 1
        let read = latestRead
        if !isLoaded, !isLoading { isLoading = true }
        do {
            let items = try await journal.list(filter)
            if read == latestRead { show(items) }
        } catch {
            if read == latestRead { fail(error) }
        }
    }

    /// Reads the list now and after each change of stored entries, until the task is cancelled.
    package func follow() async {
        for await _ in journal.changes() { await load() }
    }

    // The observation macro may notify on every assignment, so values are compared first.
    private func show(_ newer: [JournalItem]) {
        if items != newer { items = newer }
        if error != nil { error = nil }
        if !isLoaded { isLoaded = true }
        if isLoading { isLoading = false }
    }

    private func fail(_ failure: DomainError) {
        if isLoading { isLoading = false }
        // A cancellation needs no message.
        if failure != .cancelled, error != failure { error = failure }
    }
}
