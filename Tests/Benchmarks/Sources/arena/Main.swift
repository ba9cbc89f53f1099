import FoundationEssentials
import Logging
import StrataDomain
import StrataPostgres

#if canImport(Glibc)
    import Glibc
#endif

/// The entries of `Scripts/bench arena` in Swift: `arena strata|hummingbird PORT`. `DATASET_PATH`, `DATABASE_URL` and
/// `DATABASE_MAX_CONN` are those of HttpArena.
@main struct Main {
    static func main() async throws {
        let words = CommandLine.arguments.dropFirst()
        let environment = ProcessInfo.processInfo.environment
        guard words.count == 2, let port = words.last.flatMap(Int.init), let path = environment["DATASET_PATH"],
            let location = try environment["DATABASE_URL"].flatMap({ try PostgresLocation($0) }),
            let connections = environment["DATABASE_MAX_CONN"].flatMap(Int.init)
        else {
            print("Usage: arena strata|hummingbird PORT, with DATASET_PATH, DATABASE_URL and DATABASE_MAX_CONN.")
            exit(64)
        }
        let dataset = try WireJSON.decode([Item].self, from: Data(contentsOf: URL(filePath: path)))
        let logger = Logger(label: "arena") { _ in SwiftLogNoOpLogHandler() }
        let store = try await PostgresStore.open(location, connections: connections, logger: logger)
        if words.first == "strata" {
            try await StrataEntry.serve(dataset, ItemTable(store), port: port)
        } else {
            try await HummingbirdEntry.serve(dataset, ItemTable(store), port: port)
        }
    }
}
