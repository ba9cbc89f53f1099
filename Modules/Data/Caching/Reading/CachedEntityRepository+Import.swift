package import StrataDomain

extension CachedEntityRepository: ImportingRepository {
    /// Past the cache, whose values are old then.
    package func store(
        _ rows: [ImportRow<Content>], isTrial: Bool, _ context: NewEntityContext
    ) async throws(DomainError) -> [ImportOutcome] {
        let outcomes: [ImportOutcome]
        do throws(DomainError) { outcomes = try await remote.importing(rows, isTrial: isTrial, context) } catch {
            if !isTrial { await expire(importing: rows) }
            throw error
        }
        if !isTrial { await expire(importing: rows) }
        return outcomes
    }
}
