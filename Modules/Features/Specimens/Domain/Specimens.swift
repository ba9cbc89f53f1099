package import StrataDomain

/// What can be done with specimens; built once over a repository and handed to commands and view models.
package struct Specimens: Sendable {
    private let repository: any SpecimenRepository
    package init(_ repository: any SpecimenRepository) { self.repository = repository }

    /// All specimens, newest first, with where they came from.
    package func list(_ policy: ReadPolicy = .cacheFirst) async throws(DomainError) -> Snapshot<[Stored<Specimen>]> {
        try await repository.specimens(policy)
    }

    /// - Throws: `.notFound`.
    package func show(
        _ id: Specimen.ID, _ policy: ReadPolicy = .cacheFirst
    ) async throws(DomainError) -> Snapshot<Stored<Specimen>> {
        try await repository.specimen(id, policy)
    }

    /// - Throws: `.validation` naming each field, before anything is kept or sent.
    package func add(_ specimen: Specimen) async throws(DomainError) -> Stored<Specimen> {
        try await repository.add(specimen.validated())
    }

    /// The specimen after `change`, which is put on it as it is known here.
    ///
    /// - Throws: `.validation` naming each field, or that nothing is changed; `.notFound`; `.conflict` when
    ///   somebody else changed it since it was shown here.
    package func edit(
        _ id: Specimen.ID, _ change: (inout Specimen) throws(DomainError) -> Void
    ) async throws(DomainError) -> Stored<Specimen> {
        let base = try await repository.editBase(id)
        var specimen = base.content
        try change(&specimen)
        guard specimen != base.content else { throw .validation("The edit changes nothing; give another value.") }
        return try await repository.update(id, to: specimen.validated(), basedOn: base.version)
    }

    /// - Throws: `.notFound`; `.conflict` when somebody else changed it since it was shown here.
    package func remove(_ id: Specimen.ID) async throws(DomainError) {
        try await repository.remove(id, basedOn: repository.editBase(id).version)
    }

    /// One element now, and one whenever the list may have become another one.
    package func changes() -> AsyncStream<Void> { repository.changes() }
}
