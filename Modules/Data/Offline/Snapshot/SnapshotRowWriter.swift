import GRDB
import StrataDomain

/// Stores rows of one collection, each as what was agreed and as what people see, by statements that are prepared once.
///
/// Only for rows without anything unsettled, inside a replacement round. What it does to a row is what
/// `SyncPlanner.reconcile` would do.
final class SnapshotRowWriter {
    let name: [UInt8]
    private let columns: [(name: [UInt8], kind: OfflineColumn.Kind, choices: [[UInt8]], isOptional: Bool)]
    private let shadow: RawStatement
    private let row: RawStatement
    private let known: RawStatement
    private let behind: RawStatement
    private let round: Int
    /// The beginning of every seal.
    private let sealed: StableHash
    /// Whether rows behind the first one may be here already; `nil` before the first.
    private var mayBeKnown: Bool?
    private var content: [UInt8] = []

    /// - Returns: `nil` for a collection that does not state its columns.
    init?(_ collection: OfflineCollection, round: Int, in db: Database) throws {
        guard let stated = collection.columns else { return nil }
        name = Array(collection.name.utf8)
        columns = stated.map { column in
            let choices: [String] = if case .choice(let values) = column.kind { values } else { [] }
            return (Array(column.name.utf8), column.kind, choices.map { Array($0.utf8) }, column.isOptional)
        }
        self.round = round
        var hash = StableHash()
        hash.combine(collection.name)
        sealed = hash
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
        let names = stated.map(\.name.quotedDatabaseIdentifier)
        let updates = names.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
        row = try RawStatement(
            db,
            """
            INSERT INTO \(collection.table.quotedDatabaseIdentifier) (id\(names.map { ", \($0)" }.joined()))
            VALUES (?\(String(repeating: ", ?", count: names.count)))
            ON CONFLICT (id) DO \(names.isEmpty ? "NOTHING" : "UPDATE SET \(updates)")
            """)
    }

    /// What became of a row.
    enum Outcome {
        case stored(isNews: Bool)
        /// Its fields do not fit the columns; nothing was done.
        case unfit
    }

    /// Stores the row that `scanner` found in `bytes`.
    func store(_ scanner: borrowing SnapshotScanner, _ bytes: UnsafePointer<UInt8>) throws -> Outcome {
        guard bind(scanner, bytes) else { return .unfit }
        let isNews = try isNews(scanner, bytes)
        content.removeAll(keepingCapacity: true)
        scanner.appendContent(to: &content, bytes)
        let changed = try name.withUnsafeBufferPointer { name in
            try content.withUnsafeBufferPointer { content in
                guard let name = name.baseAddress, let text = content.baseAddress else { return 0 }
                shadow.bind(1, name, self.name.count)
                shadow.bind(2, bytes + scanner.id.start, scanner.id.count)
                shadow.bind(3, scanner.version)
                shadow.bind(4, scanner.milliseconds)
                shadow.bind(5, text, content.count)
                shadow.bind(6, round)
                shadow.bind(7, seal(scanner, bytes, content))
                return try shadow.run()
            }
        }
        // Otherwise this round knows a newer one.
        guard changed > 0 else { return .stored(isNews: false) }
        _ = try row.run()
        return .stored(isNews: isNews)
    }

    /// As `ShadowSeal` has it.
    private func seal(
        _ scanner: borrowing SnapshotScanner, _ bytes: UnsafePointer<UInt8>, _ content: UnsafeBufferPointer<UInt8>
    ) -> Int {
        var hash = sealed
        hash.combine(UnsafeBufferPointer(start: bytes + scanner.id.start, count: scanner.id.count))
        hash.combine(scanner.version)
        hash.combine(scanner.milliseconds)
        hash.combine(content)
        return Int(Int64(bitPattern: hash.value))
    }

    /// Whether the row is new, or of another version than the one that is here.
    private func isNews(_ scanner: borrowing SnapshotScanner, _ bytes: UnsafePointer<UInt8>) throws -> Bool {
        try name.withUnsafeBufferPointer { name in
            guard let start = name.baseAddress else { return true }
            func ask(_ statement: RawStatement) throws -> (Int, Int)? {
                statement.bind(1, start, name.count)
                statement.bind(2, bytes + scanner.id.start, scanner.id.count)
                return try statement.firstPair()
            }
            if mayBeKnown == nil { mayBeKnown = try ask(behind)?.0 != 0 }
            guard mayBeKnown == true, let (version, _) = try ask(known) else { return true }
            return version != scanner.version
        }
    }

    /// Binds the columns of what people see.
    private func bind(_ scanner: borrowing SnapshotScanner, _ bytes: UnsafePointer<UInt8>) -> Bool {
        row.bind(1, bytes + scanner.id.start, scanner.id.count)
        var place = 1
        for (name, kind, choices, isOptional) in columns {
            place += 1
            switch kind {
            case .version: row.bind(place, scanner.version)
            case .updatedAt: row.bind(place, scanner.milliseconds)
            default:
                guard let member = scanner.member(name, bytes) else {
                    guard isOptional else { return false }
                    row.bindNull(place)
                    continue
                }
                guard bind(member, bytes, to: place, as: kind, choices) else { return false }
            }
        }
        return true
    }

    private func bind(
        _ member: SnapshotScanner.Member, _ bytes: UnsafePointer<UInt8>, to place: Int, as kind: OfflineColumn.Kind,
        _ choices: [[UInt8]]
    ) -> Bool {
        let (text, count) = (bytes + member.value.start + 1, member.value.count - 2)
        switch (kind, member.shape) {
        case (.text, .plainText): row.bind(place, text, count)
        case (.text, .escapedText): row.bindCopy(place, SnapshotScanner.unescaped(text, count))
        case (.choice, .plainText):
            guard choices.contains(where: { $0.count == count && SnapshotScanner.areEqual($0, text, count) }) else {
                return false
            }
            row.bind(place, text, count)
        case (.time, .plainText):
            guard let time = RFC3339.milliseconds(spelled: UnsafeBufferPointer(start: text, count: count)) else {
                return false
            }
            row.bind(place, time)
        case (.integer, .integer): row.bind(place, member.integer)
        case (.flag, .yes): row.bind(place, 1)
        case (.flag, .no): row.bind(place, 0)
        default: return false
        }
        return true
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
