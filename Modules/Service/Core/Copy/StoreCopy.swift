/// Copies a whole database into an empty one, also of another engine: every table with its rows as they are, so that clients
/// keep their sessions and their cursors.
///
/// Rows are copied in the order of their keys, some 1000 in a transaction, which also records the place. A copy that was
/// interrupted continues there. The source must not be written meanwhile: at the end the rows of both sides are compared, and
/// only then the target becomes usable.
public struct StoreCopy: Sendable {
    /// A database, and the migrations of this program for it, in order.
    public struct Side: Sendable {
        let store: any CopyableStore
        let migrations: [StoreMigration]

        /// A store, with the migrations that the service has for it.
        public init(_ store: any CopyableStore, migrations: [StoreMigration]) {
            self.store = store
            self.migrations = migrations
        }
    }

    private let source: any CopyableStore
    private let target: any CopyableStore
    private let sourceMigrations: [StoreMigration]
    private let targetMigrations: [StoreMigration]

    /// - Parameters:
    ///   - source: Opened so that no other server can use it.
    ///   - target: An empty database, or one with the beginning of a copy of the source.
    public init(from source: Side, to target: Side) {
        self.source = source.store
        self.target = target.store
        sourceMigrations = source.migrations
        targetMigrations = target.migrations
    }

    /// What the copy does now.
    public enum Event: Sendable, Hashable {
        /// So many rows of a table are copied, those of an interrupted copy included.
        case copied(table: String, rows: Int)
        /// So many contents are copied or were found in the target.
        case stored(contents: Int)
        /// The rows of both sides are compared.
        case comparing
    }

    /// Copies, compares, and makes the target usable.
    ///
    /// - Parameters:
    ///   - contents: Copies what the rows refer to outside of the tables, such as `ContentCopy`; called after the rows, again
    ///     after an interruption. Default: nothing.
    ///   - report: Called after each transaction.
    /// - Returns: The digest of each table, equal on both sides, in the order of the copy.
    /// - Throws: `CopyError`, `StoreError`.
    public func run(
        contents: () async throws -> Void = {}, _ report: (Event) -> Void = { _ in }
    ) async throws -> [TableDigest] {
        for store in [source, target] { try await requireUnused(store) }
        let origin = try await requireCurrentSource()
        try await requireTarget(for: origin)
        try await target.migrate([CopyProgress.migration] + targetMigrations)
        try await target.write { try CopyProgress.begin(origin, in: $0) }
        let tables = try await sharedTables()
        for table in tables {
            try await TableCopier(table: table, source: source, target: target).run { rows in
                report(.copied(table: table.name, rows: rows))
            }
        }
        try await contents()
        report(.comparing)
        let digests = try await compared(tables)
        for store in [source, target] { try await requireUnused(store) }
        guard try await source.read({ try CopyProgress.Source(in: $0) }) == origin else {
            throw CopyError.sourceChanged("\(source)")
        }
        try await target.write { try CopyProgress.end(in: $0) }
        return digests
    }

    private func requireUnused(_ store: any CopyableStore) async throws {
        let programs = try await store.read { try store.otherPrograms(in: $0) }
        guard programs.isEmpty else { throw CopyError.inUse("\(store)", by: programs) }
    }

    private func requireCurrentSource() async throws -> CopyProgress.Source {
        let applied = try await source.read { [source] reader -> Set<String>? in
            guard try source.tables(in: reader).contains(where: { $0.name == "schema_migration" }) else { return nil }
            return Set(try reader.rows("SELECT name FROM schema_migration").map { try $0.text("name") })
        }
        if let applied { try sourceMigrations.requireKnown(applied, in: "\(source)") }
        guard applied == Set(sourceMigrations.map(\.name)) else { throw CopyError.otherSchema("\(source)") }
        return try await source.read { try CopyProgress.Source(in: $0) }
    }

    /// - Throws: `CopyError` for a target with other contents than the beginning of this copy.
    private func requireTarget(for origin: CopyProgress.Source) async throws {
        let begun = try await target.read { [target] reader -> CopyProgress.Source? in
            let tables = Set(try target.tables(in: reader).map(\.name))
            // Before the first migration there is at most the empty table of migrations.
            if tables.subtracting(["schema_migration"]).isEmpty { return nil }
            guard tables.contains("copy_source") else { throw CopyError.notEmpty("\(target)") }
            return try CopyProgress.source(in: reader)
        }
        guard let begun, begun != origin else { return }
        throw begun.epoch == origin.epoch ? CopyError.sourceChanged("\(source)") : .otherSource("\(target)")
    }

    /// The tables of both sides in an order that keeps foreign keys.
    private func sharedTables() async throws -> [StoreTable] {
        func tables(_ store: any CopyableStore) async throws -> Set<StoreTable> {
            let tables = try await store.read { try store.tables(in: $0) }
            return Set(tables.filter { !CopyProgress.ownTables.contains($0.name) })
        }
        let (ours, theirs) = (try await tables(source), try await tables(target))
        let others = ours.symmetricDifference(theirs).map(\.name)
        // A side without the tables of contents has files instead, which `contents` copies.
        if let other = Set(others).subtracting(BlobPieces.tables).min() { throw CopyError.otherTable(other) }
        return try Array(ours.intersection(theirs)).inOrder()
    }

    /// Reads each side in one snapshot.
    private func compared(_ tables: [StoreTable]) async throws -> [TableDigest] {
        let ours = try await source.read { reader in try tables.map { try TableDigest(of: $0, in: reader) } }
        let theirs = try await target.read { reader in try tables.map { try TableDigest(of: $0, in: reader) } }
        for (one, other) in zip(ours, theirs) where one != other { throw CopyError.different(one.table) }
        return ours
    }
}
