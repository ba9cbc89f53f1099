import StrataDomain

/// How rows of a collection that states its columns are found in the bytes of a snapshot.
struct SnapshotShape: Sendable {
    let name: [UInt8]
    let columns: [Column]
    /// The beginning of every seal.
    let sealed: StableHash

    struct Column: Sendable {
        var name: [UInt8]
        var kind: OfflineColumn.Kind
        var choices: [[UInt8]]
        var isOptional: Bool
    }

    /// What a column is bound to; there are some hundred thousand of them at a time.
    enum ScannedValue: Sendable {
        case null
        case number(Int)
        /// The bytes at this place of the lines.
        case text(SnapshotScanner.Slice)
        /// The same with escapes of one letter.
        case escapedText(SnapshotScanner.Slice)
    }

    /// - Returns: `nil` for a collection that does not state its columns.
    init?(_ collection: OfflineCollection) {
        guard let stated = collection.columns else { return nil }
        name = Array(collection.name.utf8)
        columns = stated.map { column in
            let choices: [String] = if case .choice(let values) = column.kind { values } else { [] }
            return Column(
                name: Array(column.name.utf8), kind: column.kind, choices: choices.map { Array($0.utf8) },
                isOptional: column.isOptional)
        }
        var hash = StableHash()
        hash.combine(collection.name)
        sealed = hash
    }

    func isFor(_ collection: SnapshotScanner.Slice, _ bytes: UnsafePointer<UInt8>) -> Bool {
        collection.count == name.count && SnapshotScanner.areEqual(name, bytes + collection.start, name.count)
    }

    /// Adds the values of all columns of the row that `scanner` found.
    ///
    /// - Returns: `false` when its fields do not fit the columns; `values` is then as it was.
    func append(
        _ scanner: borrowing SnapshotScanner, _ bytes: UnsafePointer<UInt8>, to values: inout [ScannedValue]
    ) -> Bool {
        let before = values.count
        for column in columns {
            guard let value = value(column, scanner, bytes) else {
                values.removeLast(values.count - before)
                return false
            }
            values.append(value)
        }
        return true
    }

    /// As `BaseChecksum` has it.
    func seal(
        _ scanner: borrowing SnapshotScanner, _ bytes: UnsafePointer<UInt8>, _ content: UnsafeBufferPointer<UInt8>
    ) -> Int {
        var hash = sealed
        hash.combine(UnsafeBufferPointer(start: bytes + scanner.id.start, count: scanner.id.count))
        hash.combine(scanner.version)
        hash.combine(scanner.milliseconds)
        hash.combine(content)
        return Int(Int64(bitPattern: hash.value))
    }

    private func value(
        _ column: Column, _ scanner: borrowing SnapshotScanner, _ bytes: UnsafePointer<UInt8>
    ) -> ScannedValue? {
        switch column.kind {
        case .version: return .number(scanner.version)
        case .updatedAt: return .number(scanner.milliseconds)
        default:
            guard let member = scanner.member(column.name, bytes) else { return column.isOptional ? .null : nil }
            return value(member, bytes, column)
        }
    }

    private func value(
        _ member: SnapshotScanner.Member, _ bytes: UnsafePointer<UInt8>, _ column: Column
    ) -> ScannedValue? {
        // Without quotation marks, where it has them.
        let inner = SnapshotScanner.Slice(start: member.value.start + 1, end: member.value.end - 1)
        switch (column.kind, member.shape) {
        case (.text, .plainText): return .text(inner)
        case (.text, .escapedText): return .escapedText(inner)
        case (.choice, .plainText):
            let isOne = column.choices.contains {
                $0.count == inner.count && SnapshotScanner.areEqual($0, bytes + inner.start, inner.count)
            }
            return isOne ? .text(inner) : nil
        case (.time, .plainText):
            let text = UnsafeBufferPointer(start: bytes + inner.start, count: inner.count)
            return RFC3339.milliseconds(spelled: text).map { .number($0) }
        case (.integer, .integer): return .number(member.integer)
        case (.flag, .yes): return .number(1)
        case (.flag, .no): return .number(0)
        default: return nil
        }
    }
}
