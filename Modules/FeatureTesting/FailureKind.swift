public import StrataDomain

extension DomainError.Kind {
    /// What `call` failed with; `nil` when it succeeded.
    public static func ofFailure(_ call: () async throws(DomainError) -> Void) async -> Self? {
        do {
            try await call()
            return nil
        } catch {
            return error.kind
        }
    }
}
