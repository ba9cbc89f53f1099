package import JournalDomain
import Observation
package import StrataDomain

/// A list of journal entries for a view: read from what is stored here, replaced only when something is different.
@Observable @MainActor
package final class JournalListModel {
    package private(set) var items: [JournalItem] = []
    /// Only while nothing was ever shown; a refresh of a list that is there is silent.
    package private(set) var isLoading = false
    /// Why the newest read failed; the items stay.
    package private(set) var error: DomainError?
    /// Whether any read has answered; an empty list is an answer.
    package private(set) var isLoaded = false

    @ObservationIgnored private let browse: BrowseJournal
    @ObservationIgnored private let filter: JournalFilter
    /// The read that was started last; an older one that ends later must not win.
    @ObservationIgnored private var newestRead = 0

    package init(_ browse: BrowseJournal, filter: JournalFilter = JournalFilter()) {
        self.browse = browse
        self.filter = filter
    }

    /// Reads the list.
    package func load() async {
        newestRead += 1
        let read = newestRead
        if !isLoaded, !isLoading { isLoading = true }
        do {
            let items = try await browse(filter)
            if read == newestRead { show(items) }
        } catch {
            if read == newestRead { fail(error) }
        }
    }

    /// Reads the list now and whenever a stored entry changed, until the task is cancelled.
    package func follow() async {
        for await _ in browse.changes() { await load() }
    }

    // The observation macro notifies on every assignment of some types, so each is compared first.
    private func show(_ newer: [JournalItem]) {
        if items != newer { items = newer }
        if error != nil { error = nil }
        if !isLoaded { isLoaded = true }
        if isLoading { isLoading = false }
    }

    private func fail(_ failure: DomainError) {
        if isLoading { isLoading = false }
        // Whoever cancels knows; a message about it would be noise.
        if failure != .cancelled, error != failure { error = failure }
    }
}
