import FoundationEssentials
public import Logging
import StrataSQLite
public import StrataService

#if POSTGRES
    import StrataPostgres
#endif

/// A database engine that the tests of a service run on.
public struct StoreEngine: Sendable, CustomStringConvertible {
    /// Its name.
    public let description: String
    private let opening: @Sendable (_ path: String, _ isShared: Bool, _ logger: Logger) async throws -> any Store

    /// Opens the database that belongs to `path`, and creates a missing one. `close` closes it.
    ///
    /// - Parameters:
    ///   - path: In a directory of the test; the database exists as long as the directory.
    ///   - isShared: Whether several stores may have the database open at once. Default `false`.
    public func open(
        _ path: String, isShared: Bool = false, logger: Logger = Logger(label: "store")
    ) async throws -> any Store {
        try await opening(path, isShared, logger)
    }

    /// Closes a store that the engine opened, with what it needed.
    public static func close(_ store: any Store) async throws {
        #if POSTGRES
            await (store as? PostgresStore)?.close()
        #endif
        try await (store as? SQLiteStore)?.close()
    }

    /// Whether it stores in SQLite.
    public var isSQLite: Bool { description == Self.sqlite.description }

    /// A file of its own for each store.
    public static let sqlite = StoreEngine(description: "SQLite") { path, isShared, logger in
        try await SQLiteStore.open(SQLiteLocation(path: path), exclusive: !isShared, logger: logger)
    }

    #if POSTGRES
        /// `nil` without the address of a server in `STRATA_TEST_POSTGRES`.
        public static let postgres = PostgresTestServer.address.map { _ in
            StoreEngine(description: "PostgreSQL") { path, _, logger in
                try await PostgresTestServer.open(path, logger: logger)
            }
        }
    #else
        public static let postgres: StoreEngine? = nil
    #endif

    /// The engines that features' SQL must run on.
    public static let all = [sqlite] + (postgres.map { [$0] } ?? [])

    /// The engine of this run: PostgreSQL when `STRATA_TEST_ENGINE` is `postgres`. Default: SQLite.
    ///
    /// Without the address of a server, opening a database of it fails, so that the run cannot pass on SQLite.
    public static let chosen: StoreEngine = {
        guard ProcessInfo.processInfo.environment["STRATA_TEST_ENGINE"] == "postgres" else { return sqlite }
        return postgres
            ?? StoreEngine(description: "PostgreSQL") { _, _, _ in
                throw StoreError.unavailable(
                    "STRATA_TEST_ENGINE is postgres, but STRATA_TEST_POSTGRES has no address of a server.")
            }
    }()
}
