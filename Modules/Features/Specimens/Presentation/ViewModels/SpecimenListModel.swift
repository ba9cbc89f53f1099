import Observation
package import SpecimensDomain
package import StrataDomain

/// A list of specimens for a view: shown at once from what is kept, replaced only when something is different.
@Observable @MainActor
package final class SpecimenListModel {
    /// The items and where they came from; `nil` before the first answer.
    package private(set) var snapshot: Snapshot<[Stored<Specimen>]>?
    /// Only while nothing was ever shown; a refresh of a list that is there is silent.
    package private(set) var isLoading = false
    /// Why the newest read failed; the items stay.
    package private(set) var error: DomainError?

    @ObservationIgnored private let specimens: Specimens
    /// The read that was started last; an older one that ends later must not win.
    @ObservationIgnored private var newestRead = 0

    package init(_ specimens: Specimens) { self.specimens = specimens }

    package var items: [Stored<Specimen>] { snapshot?.value ?? [] }

    /// Reads the list.
    package func load(_ policy: ReadPolicy = .cacheFirst) async {
        newestRead += 1
        let read = newestRead
        if snapshot == nil, !isLoading { isLoading = true }
        do {
            let newer = try await specimens.list(policy)
            if read == newestRead { show(newer) }
        } catch {
            if read == newestRead { fail(error) }
        }
    }

    /// Reads the list now and whenever it may have become another one, until the task is cancelled.
    package func follow() async {
        for await _ in specimens.changes() { await load() }
    }

    // The observation macro notifies on every assignment of some types, so each is compared first.
    private func show(_ newer: Snapshot<[Stored<Specimen>]>) {
        if snapshot != newer { snapshot = newer }
        if error != nil { error = nil }
        if isLoading { isLoading = false }
    }

    private func fail(_ failure: DomainError) {
        if isLoading { isLoading = false }
        // Whoever cancels knows; a message about it would be noise.
        if failure != .cancelled, error != failure { error = failure }
    }
}
