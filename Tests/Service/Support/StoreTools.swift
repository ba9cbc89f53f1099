import Dispatch
import StrataConcurrency
import StrataSystem
import Testing

@testable import StrataService

/// Lets one thread wait for another; only for code that runs on threads of its own.
final class BlockingFlag: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func raise() { semaphore.signal() }
    func wait() { semaphore.wait() }
}

/// Reads on a thread of its own, for a body that waits: a short read runs on the thread of its caller.
actor BlockingReader {
    private let executor = BlockingExecutor()

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func read<Result: Sendable>(
        _ store: any Store, _ body: @escaping @Sendable (any StoreReader) throws -> Result
    ) async throws -> Result {
        try await store.read(body)
    }
}

extension Store {
    /// Rows of a table.
    func count(_ table: String) async throws -> Int {
        let statement = Statement(stringLiteral: "SELECT COUNT(*) AS count FROM \(table)")
        return try await read { try $0.row(statement)?.int("count") ?? 0 }
    }
}

extension TestService {
    /// The place of the last change that clients see.
    var lastPlace: Int { get async throws { try await store.read { try SyncTables.position(in: $0).seq } } }
}

/// A table has so many rows.
func expectRows(
    _ expected: Int, in table: String, of store: any Store, _ location: SourceLocation = #_sourceLocation
) async throws {
    let count = try await store.count(table)
    #expect(count == expected, sourceLocation: location)
}
