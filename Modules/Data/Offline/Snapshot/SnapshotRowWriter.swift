import GRDB
import StrataDomain

/// Stores rows of one collection, each as base row and as displayed row, by statements that are prepared once.
///
/// Only for entities without a queue, conflict or deferred remote row, inside a replacement round. The result is that of
/// `SyncPlanner.reconcile`.
final class SnapshotRowWriter {
    typealias Bytes = SnapshotScanner.Bytes

    let collection: OfflineCollection
    private(set) var hasWritten = false
    private let name: [UInt8]
    private let columns: [Column]
    private let base: RawStatement
    private let row: RawStatement
    private let known: RawStatement
    private let following: RawStatement
    /// The beginning of every checksum.
    private let checksum: StableHash
    /// Whether the first row or one behind it may be stored already; `nil` before the first.
    private var mayBeKnown: Bool?
    private var content: [UInt8] = []

    private struct Column {
        let name: [UInt8]
        let source: OfflineColumn.Source
        let isOptional: Bool
        /// Of a field; the scanner compares bytes.
        let kind: FieldKind
        let choices: [[UInt8]]?

        init(_ column: OfflineColumn) {
            (source, isOptional) = (column.source, column.isOptional)
            name = Array(column.name.utf8)
            if case .field(let kind, let choices) = column.source {
                (self.kind, self.choices) = (kind, choices?.map { Array($0.utf8) })
            } else {
                (kind, choices) = (.integer, nil)
            }
        }
    }

    /// - Returns: `nil` for a collection that does not state its columns.
    init?(_ collection: OfflineCollection, round: Int, in db: Database) throws {
        guard let columns = collection.columns else { return nil }
        self.collection = collection
        self.columns = columns.map(Column.init)
        name = Array(collection.name.utf8)
        var checksum = StableHash()
        checksum.combine(collection.name)
        self.checksum = checksum
        base = try RawStatement(
            db,
            EntityTables.upsertBase + " WHERE excluded.version >= base_row.version OR excluded.round <> base_row.round")
        known = try RawStatement(db, "SELECT version FROM base_row WHERE collection = ? AND entity_id = ?")
        following = try RawStatement(
            db, "SELECT EXISTS (SELECT 1 FROM base_row WHERE collection = ? AND entity_id >= ?)")
        let names = columns.map(\.name.quotedDatabaseIdentifier)
        let updates = names.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
        row = try RawStatement(
            db,
            """
            INSERT INTO \(collection.table.quotedDatabaseIdentifier) (id\(names.map { ", \($0)" }.joined()))
            VALUES (?\(String(repeating: ", ?", count: names.count)))
            ON CONFLICT (id) DO \(names.isEmpty ? "NOTHING" : "UPDATE SET \(updates)")
            """)
        for statement in [base, known, following] { statement.bindCopy(1, name) }
        base.bind(6, round)
    }

    func isFor(_ collection: Bytes) -> Bool { collection.elementsEqual(name) }

    /// Stores the row that `scanner` found.
    ///
    /// - Returns: Whether it is new, or of another version than the stored one; `nil` when its fields do not fit the
    ///   columns, and nothing was written.
    func store(_ scanner: borrowing SnapshotScanner) throws -> Bool? {
        for (index, column) in columns.enumerated() {
            guard bind(column, index + 2, scanner) else { return nil }
        }
        row.bind(1, scanner.id)
        let isNew = try isNew(scanner)
        scanner.writeContent(to: &content)
        return try content.withUnsafeBufferPointer { content in
            var checksum = checksum
            checksum.combine(scanner.id)
            checksum.combine(scanner.version)
            checksum.combine(scanner.milliseconds)
            checksum.combine(content)
            base.bind(2, scanner.id)
            base.bind(3, scanner.version)
            base.bind(4, scanner.milliseconds)
            base.bind(5, content)
            base.bind(7, Int(truncatingIfNeeded: checksum.value))
            // Otherwise this round has stored a newer version.
            guard try base.run() > 0 else { return false }
            _ = try row.run()
            hasWritten = true
            return isNew
        }
    }

    private func isNew(_ scanner: borrowing SnapshotScanner) throws -> Bool {
        if mayBeKnown == nil {
            following.bind(2, scanner.id)
            mayBeKnown = try following.firstInteger() != 0
        }
        guard mayBeKnown == true else { return true }
        known.bind(2, scanner.id)
        return try known.firstInteger() != scanner.version
    }

    /// - Returns: Whether the value fits the column.
    private func bind(_ column: Column, _ place: Int, _ scanner: borrowing SnapshotScanner) -> Bool {
        switch column.source {
        case .version: row.bind(place, scanner.version)
        case .updatedAt: row.bind(place, scanner.milliseconds)
        case .field:
            guard let member = scanner.member(column.name) else {
                row.bindNull(place)
                return column.isOptional
            }
            return bind(member, column, place)
        }
        return true
    }

    private func bind(_ member: SnapshotScanner.Member, _ column: Column, _ place: Int) -> Bool {
        // The scanner compares texts only.
        if column.choices != nil, column.kind != .text { return false }
        // Without quotation marks.
        var text: Bytes { Bytes(rebasing: member.value.dropFirst().dropLast()) }
        switch (column.kind, member.kind) {
        case (.text, .plainText):
            if let choices = column.choices, !choices.contains(where: { text.elementsEqual($0) }) { return false }
            row.bind(place, text)
        case (.text, .escapedText) where column.choices == nil:
            row.bindCopy(place, SnapshotScanner.unescaped(text))
        case (.time, .plainText):
            guard let milliseconds = RFC3339.milliseconds(spelled: text) else { return false }
            row.bind(place, milliseconds)
        case (.integer, .integer): row.bind(place, member.integer)
        case (.flag, .yes): row.bind(place, 1)
        case (.flag, .no): row.bind(place, 0)
        default: return false
        }
        return true
    }
}
