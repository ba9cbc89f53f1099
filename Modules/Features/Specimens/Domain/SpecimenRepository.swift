package import StrataDomain

/// Where specimens come from and go to.
package protocol SpecimenRepository: Sendable {
    /// All specimens, newest first.
    ///
    /// - Throws: `.unavailable` when the server is needed and cannot be reached.
    func specimens(_ policy: ReadPolicy) async throws(DomainError) -> Snapshot<[Stored<Specimen>]>

    /// - Throws: `.notFound`; `.unavailable` when the server is needed and cannot be reached.
    func specimen(_ id: Specimen.ID, _ policy: ReadPolicy) async throws(DomainError) -> Snapshot<Stored<Specimen>>

    /// What an edit or a removal is put on, with the version that must still stand then: the newest shown here, where
    /// that is known. What nobody has seen is not overwritten.
    ///
    /// Default: the specimen as it is known here.
    func editBase(_ id: Specimen.ID) async throws(DomainError) -> Stored<Specimen>

    func add(_ specimen: Specimen) async throws(DomainError) -> Stored<Specimen>

    /// - Parameter version: The version the edit is based on.
    /// - Throws: `.notFound`; `.conflict` when the server must agree at once and has another version.
    func update(
        _ id: Specimen.ID, to specimen: Specimen, basedOn version: Int
    ) async throws(DomainError) -> Stored<Specimen>

    /// - Throws: `.notFound`; `.conflict` when the server must agree at once and has another version.
    func remove(_ id: Specimen.ID, basedOn version: Int) async throws(DomainError)

    /// One element now, and one whenever the list may have become another one.
    func changes() -> AsyncStream<Void>
}

extension SpecimenRepository {
    package func editBase(_ id: Specimen.ID) async throws(DomainError) -> Stored<Specimen> {
        try await specimen(id, .cacheFirst).value
    }
}
