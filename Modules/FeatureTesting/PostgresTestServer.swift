#if POSTGRES
    import FoundationEssentials
    public import Logging
    import StrataConcurrency
    public import StrataPostgres
    import StrataService
    import StrataSystem

    /// The PostgreSQL server of the tests, with a schema for each database.
    ///
    /// A schema is dropped when the directory of its path is removed and a new schema is made. The first one of a process also
    /// drops those of processes of this machine that have ended.
    public enum PostgresTestServer {
        /// From `STRATA_TEST_POSTGRES`, for example `postgres://postgres@/postgres?host=%2Ftmp%2Fserver`.
        public static let address = ProcessInfo.processInfo.environment["STRATA_TEST_POSTGRES"]

        private struct State {
            var schemas: [String: String] = [:]
            var made = 0
        }

        private static let state = Mutex(State())
        /// Names of schemas of this machine are this and the id of a process.
        private static let prefix =
            "strata_test_"
            + ProcessInfo.processInfo.hostName.lowercased().filter { $0.isASCII && $0.isLetter }.prefix(20)
            + "_"

        /// Opens the schema that belongs to `path`, and creates a missing one.
        public static func open(
            _ path: String, connections: Int = 4, pollInterval: Duration = .seconds(10),
            logger: Logger = Logger(label: "store")
        ) async throws -> PostgresStore {
            let (schema, isFirst, gone) = state.withLock { state -> (String, Bool, [String]) in
                if let schema = state.schemas[path] { return (schema, false, []) }
                let gone = state.schemas.filter { !exists(directoryOf: $0.key) }
                for path in gone.keys { state.schemas[path] = nil }
                state.made += 1
                let schema = "\(prefix)\(ProcessInfo.processInfo.processIdentifier)_\(state.made)"
                state.schemas[path] = schema
                return (schema, state.made == 1, Array(gone.values))
            }
            let store = try await PostgresStore.open(
                try location(schema), connections: connections, pollInterval: pollInterval, logger: logger)
            try await store.write { try $0.execute(Statement(stringLiteral: "CREATE SCHEMA IF NOT EXISTS \(schema)")) }
            if isFirst { try await drop(try await leftOver(in: store), in: store) }
            try await drop(gone, in: store)
            return store
        }

        /// The address with `schema` as the one of unqualified names.
        public static func location(_ schema: String) throws -> PostgresLocation {
            let address = address ?? ""
            let separator = address.contains("?") ? "&" : "?"
            guard let location = try PostgresLocation("\(address)\(separator)options=-csearch_path%3D\(schema)") else {
                throw StoreError.unavailable(
                    "STRATA_TEST_POSTGRES must be the address of a server, postgres://…; Scripts/test starts one.")
            }
            return location
        }

        private static func exists(directoryOf path: String) -> Bool {
            FileManager.default.fileExists(atPath: URL(filePath: path).deletingLastPathComponent().path)
        }

        private static func leftOver(in store: PostgresStore) async throws -> [String] {
            let names = try await store.read { reader in
                try reader.rows("SELECT nspname AS name FROM pg_namespace WHERE nspname LIKE \(prefix + "%")").map {
                    try $0.text("name")
                }
            }
            return names.filter { name in
                guard let process = Int32(name.dropFirst(prefix.count).prefix { $0 != "_" }) else { return false }
                return !isRunning(process: process)
            }
        }

        private static func drop(_ schemas: [String], in store: PostgresStore) async throws {
            for schema in schemas {
                try await store.write {
                    try $0.execute(Statement(stringLiteral: "DROP SCHEMA IF EXISTS \(schema) CASCADE"))
                }
            }
        }
    }
#endif
