package import StrataDomain

/// Looks after the keys of machines.
package struct ManageHostTokens: Sendable {
    private let repository: any HostTokenRepository
    package init(_ repository: any HostTokenRepository) { self.repository = repository }

    package func list() async throws(DomainError) -> [HostToken] { try await repository.hostTokens() }

    /// The token and its key, which is never shown again.
    ///
    /// - Parameter name: The host that the key speaks for: it adds entries about that one only.
    /// - Throws: `.validation` naming the field, before anything is sent.
    package func create(name: String) async throws(DomainError) -> (token: HostToken, key: Secret) {
        var check = FieldCheck()
        check.word("name", name, bytes: HostToken.nameBytes)
        try check.orThrow("The host token was not accepted.")
        return try await repository.create(name: name)
    }

    /// - Throws: `.notFound`.
    package func revoke(_ id: HostToken.ID) async throws(DomainError) { try await repository.revoke(id) }
}
