import Foundation
import StrataSQLite
import StrataService
import Testing

#if POSTGRES
    import StrataPostgres
#endif

/// An engine, and how to get a fresh database of it.
struct StoreEngine: Sendable, CustomTestStringConvertible {
    let name: String
    /// Every call with the same directory opens the same database.
    let open: @Sendable (_ directory: String) async throws -> any Store
    let close: @Sendable (any Store) async throws -> Void

    var testDescription: String { name }
    var isSQLite: Bool { name == Self.sqlite.name }

    static let sqlite = StoreEngine(
        name: "SQLite",
        open: { try await SQLiteStore.open(SQLiteLocation(path: "\($0)/contract.db"), exclusive: false) },
        close: { try await ($0 as? SQLiteStore)?.close() })

    #if POSTGRES
        /// PostgreSQL at the address in `STRATA_TEST_POSTGRES`, with a schema for each directory; `nil` without the variable.
        static let postgres = PostgresServer.address.map { _ in
            StoreEngine(
                name: "PostgreSQL", open: { try await PostgresServer.open($0) },
                close: { await ($0 as? PostgresStore)?.close() })
        }

        /// Every engine the features' SQL has to run on.
        static let all = [sqlite] + (postgres.map { [$0] } ?? [])

        /// The engine of `TestService`: PostgreSQL when `STRATA_TEST_ENGINE` is `postgres`, otherwise SQLite.
        static let ofServices =
            ProcessInfo.processInfo.environment["STRATA_TEST_ENGINE"] == "postgres" ? postgres ?? sqlite : sqlite
    #else
        static let all = [sqlite]
        static let ofServices = sqlite
    #endif
}

#if POSTGRES
    /// The server of the tests.
    enum PostgresServer {
        static let address = ProcessInfo.processInfo.environment["STRATA_TEST_POSTGRES"]

        static let isMissing: Comment =
            "STRATA_TEST_POSTGRES has no address of a PostgreSQL server; Scripts/test starts one."

        /// Opens the schema that belongs to a directory, and creates a missing one.
        static func open(
            _ directory: String, connections: Int = 4, pollInterval: Duration = .seconds(10)
        ) async throws -> PostgresStore {
            let schema = "t" + String(directory.lowercased().filter { $0.isLetter || $0.isNumber }.suffix(50))
            let store = try await PostgresStore.open(
                try location(schema), connections: connections, pollInterval: pollInterval)
            try await store.write { try $0.execute(Statement(stringLiteral: "CREATE SCHEMA IF NOT EXISTS \(schema)")) }
            return store
        }

        static func location(_ schema: String) throws -> PostgresLocation {
            let address = try #require(address)
            let separator = address.contains("?") ? "&" : "?"
            return try #require(try PostgresLocation("\(address)\(separator)options=-csearch_path%3D\(schema)"))
        }
    }
#endif
