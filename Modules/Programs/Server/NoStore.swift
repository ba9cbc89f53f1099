import StrataService

/// For what needs no database, such as the OpenAPI document.
struct NoStore: Store {
    private static var refusal: StoreError { .unavailable("This command uses no database.") }

    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreReader) throws -> Result
    ) async throws -> Result { throw Self.refusal }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Result
    ) async throws -> Result { throw Self.refusal }

    func migrate(_ migrations: [StoreMigration]) async throws { throw Self.refusal }
}
