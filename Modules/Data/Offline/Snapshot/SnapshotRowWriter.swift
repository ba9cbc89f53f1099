import GRDB
import StrataDomain

/// Stores rows of one collection, each as what was agreed and as what people see, by statements that are prepared once.
///
/// Only for rows without anything unsettled, inside a replacement round. What it does to a row is what
/// `SyncPlanner.reconcile` would do.
final class SnapshotRowWriter {
    let collection: OfflineCollection
    private let name: [UInt8]
    private let columns: Int
    private let shadow: RawStatement
    private let row: RawStatement
    private let known: RawStatement
    private let behind: RawStatement
    private let round: Int
    /// Whether rows behind the first one may be here already; `nil` before the first.
    private var mayBeKnown: Bool?

    init(_ collection: OfflineCollection, _ shape: SnapshotShape, round: Int, in db: Database) throws {
        (self.collection, self.round) = (collection, round)
        (name, columns) = (shape.name, shape.columns.count)
        shadow = try RawStatement(
            db,
            """
            INSERT INTO shadow (collection, entity_id, version, updated_at, data, round, seal) VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (collection, entity_id) DO UPDATE SET version = excluded.version,
                updated_at = excluded.updated_at, data = excluded.data, round = excluded.round, seal = excluded.seal
            WHERE excluded.version >= shadow.version OR excluded.round <> shadow.round
            """)
        known = try RawStatement(db, "SELECT version, round FROM shadow WHERE collection = ? AND entity_id = ?")
        behind = try RawStatement(
            db, "SELECT EXISTS (SELECT 1 FROM shadow WHERE collection = ? AND entity_id >= ?), 0")
        let names = (collection.columns ?? []).map(\.name.quotedDatabaseIdentifier)
        let updates = names.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
        row = try RawStatement(
            db,
            """
            INSERT INTO \(collection.table.quotedDatabaseIdentifier) (id\(names.map { ", \($0)" }.joined()))
            VALUES (?\(String(repeating: ", ?", count: names.count)))
            ON CONFLICT (id) DO \(names.isEmpty ? "NOTHING" : "UPDATE SET \(updates)")
            """)
    }

    /// Stores a row of `rows`.
    ///
    /// - Parameters:
    ///   - lines: The bytes of its lines.
    ///   - contents: The bytes of its contents.
    /// - Returns: Whether it is new, or of another version than the one that was here.
    func store(
        _ found: SnapshotRows.ScannedRow, of rows: borrowing SnapshotRows, _ lines: UnsafeBufferPointer<UInt8>,
        _ contents: UnsafeBufferPointer<UInt8>
    ) throws -> Bool {
        try name.withUnsafeBufferPointer { name in
            guard let name = name.baseAddress, let bytes = lines.baseAddress, let contents = contents.baseAddress else {
                return false
            }
            let isNews = try isNews(found, name, bytes)
            shadow.bind(1, name, self.name.count)
            shadow.bind(2, bytes + found.id.start, found.id.count)
            shadow.bind(3, found.version)
            shadow.bind(4, found.milliseconds)
            shadow.bind(5, contents + found.content.start, found.content.count)
            shadow.bind(6, round)
            shadow.bind(7, found.seal)
            // Otherwise this round knows a newer one.
            guard try shadow.run() > 0 else { return false }
            bind(found, rows, bytes)
            _ = try row.run()
            return isNews
        }
    }

    private func isNews(
        _ found: SnapshotRows.ScannedRow, _ name: UnsafePointer<UInt8>, _ bytes: UnsafePointer<UInt8>
    ) throws -> Bool {
        func ask(_ statement: RawStatement) throws -> (Int, Int)? {
            statement.bind(1, name, self.name.count)
            statement.bind(2, bytes + found.id.start, found.id.count)
            return try statement.firstPair()
        }
        if mayBeKnown == nil { mayBeKnown = try ask(behind)?.0 != 0 }
        guard mayBeKnown == true, let (version, _) = try ask(known) else { return true }
        return version != found.version
    }

    /// Binds the columns of what people see.
    private func bind(_ found: SnapshotRows.ScannedRow, _ rows: borrowing SnapshotRows, _ bytes: UnsafePointer<UInt8>) {
        row.bind(1, bytes + found.id.start, found.id.count)
        for column in 0..<columns {
            let place = column + 2
            switch rows.values[Int(found.firstValue) + column] {
            case .null: row.bindNull(place)
            case .number(let number): row.bind(place, number)
            case .text(let text): row.bind(place, bytes + text.start, text.count)
            case .escapedText(let text):
                row.bindCopy(place, SnapshotScanner.unescaped(bytes + text.start, text.count))
            }
        }
    }
}

extension SnapshotScanner {
    /// The member called `name`; `nil` without one.
    func member(_ name: [UInt8], _ bytes: UnsafePointer<UInt8>) -> Member? {
        for member in members where member.name.count == name.count {
            if Self.areEqual(name, bytes + member.name.start, name.count) { return member }
        }
        return nil
    }

    /// Adds the canonical content as the text of a JSON object, spelled as `FieldText.encode` does.
    func appendContent(to text: inout [UInt8], _ bytes: UnsafePointer<UInt8>) {
        text.append(UInt8(ascii: "{"))
        for (index, member) in members.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            // Name, quotation marks included.
            text.append(
                contentsOf: UnsafeBufferPointer(start: bytes + member.name.start - 1, count: member.name.count + 2))
            text.append(UInt8(ascii: ":"))
            text.append(contentsOf: UnsafeBufferPointer(start: bytes + member.value.start, count: member.value.count))
        }
        text.append(UInt8(ascii: "}"))
    }

    /// Text with the escapes that the scanner lets pass.
    static func unescaped(_ text: UnsafePointer<UInt8>, _ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        var place = 0
        while place < count {
            if text[place] == UInt8(ascii: "\\"), place + 1 < count, let byte = unescaped(text[place + 1]) {
                bytes.append(byte)
                place += 2
            } else {
                bytes.append(text[place])
                place += 1
            }
        }
        return bytes
    }
}
