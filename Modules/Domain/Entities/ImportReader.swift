package import FoundationEssentials

/// Reads entities from CSV or from lines of JSON, row by row, and checks them by the fields.
package struct ImportReader<Content: Entity>: Sendable {
    package enum Item: Sendable {
        case row(ImportRow<Content>)
        /// Of one row, at least one.
        case flaws([ImportFlaw])
    }

    private enum Source {
        case csv(CSVReader)
        case lines(LineBytes)
    }

    /// What a column sets.
    private enum Target {
        case id, version, ignored
        case field(EntityField<Content>)
    }

    private static var lineLimit: Int { 1 << 24 }

    private var source: Source
    private let context: NewEntityContext
    /// Of the whole file; `nil` while they are made.
    private let names: ImportNames?
    /// Names by what was read so far.
    package private(set) var read = ImportNames(Content.collection)
    /// Of CSV, after its first record.
    private var header: [(name: String, target: Target)]?
    private var lines = 0
    private var rows = 0

    /// - Parameters:
    ///   - context: For the values of new entities that a row leaves out.
    ///   - names: `read` after a first reading of the file. Default: none, the rows are checked only.
    package init(_ format: RecordFormat, _ context: NewEntityContext, names: ImportNames? = nil) {
        source =
            format == .csv
            ? .csv(CSVReader(limit: Self.lineLimit)) : .lines(LineBytes(upTo: Self.lineLimit, ends: .lineFeed))
        (self.context, self.names) = (context, names)
    }

    /// The rows that end in `chunk`.
    ///
    /// - Throws: `.validation` for a header that cannot be used.
    package mutating func items(in chunk: Data) throws(DomainError) -> [Item] {
        switch source {
        case .csv(var reader):
            let records = reader.records(in: chunk)
            source = .csv(reader)
            return try items(records)
        case .lines(var bytes):
            defer { source = .lines(bytes) }
            bytes.append(chunk)
            var items: [Item] = []
            do throws(NetworkError) {
                while let line = try bytes.next() { items += item(line).map { [$0] } ?? [] }
            } catch { throw .validation("Line \(lines + 1) is longer than \(Self.lineLimit) bytes.") }
            return items
        }
    }

    /// - Throws: As `items`; `.validation` for a file without a header.
    package mutating func finish() throws(DomainError) -> [Item] {
        switch source {
        case .csv(var reader):
            let items = try items(reader.finish().map { [$0] } ?? [])
            guard header != nil else {
                throw .validation("The file is empty; its first line must name the columns: \(Self.known).")
            }
            return items
        case .lines(var bytes): return bytes.finish().flatMap { item($0) }.map { [$0] } ?? []
        }
    }

    // MARK: - CSV

    private mutating func items(_ records: [CSVReader.Record]) throws(DomainError) -> [Item] {
        var items: [Item] = []
        for record in records {
            // With one column, an empty line is a row without a value.
            if record.cells.isEmpty, record.flaw == nil, header?.count != 1 { continue }
            guard let header else {
                try readHeader(record)
                continue
            }
            for cell in record.cells { read.add(cell.isQuoted ? "\"\(cell.text)" : cell.text) }
            read.add("\n")
            items.append(item(record, header))
        }
        return items
    }

    private mutating func readHeader(_ record: CSVReader.Record) throws(DomainError) {
        if let flaw = record.flaw { throw .validation("Line \(record.line), which names the columns, \(flaw).") }
        var columns: [(name: String, target: Target)] = []
        for cell in record.cells {
            guard let target = Self.target(cell.text) else {
                throw .validation(
                    "Column '\(cell.text.prefix(40))' is no field of \(Content.plural); known are \(Self.known).")
            }
            guard !columns.contains(where: { $0.name == cell.text }) else {
                throw .validation("Column '\(cell.text)' is there twice; take one away.")
            }
            columns.append((cell.text, target))
            read.add(cell.text)
        }
        let missing = Content.fields.filter { field in
            Self.mustHave(field) && !columns.contains { $0.name == field.name }
        }
        guard missing.isEmpty || columns.contains(where: { $0.name == "id" }) else {
            throw .validation(
                "Column \(missing.map { "'\($0.name)'" }.joined(separator: ", ")) is missing; a new \(Content.noun) must have it."
            )
        }
        header = columns
    }

    private mutating func item(_ record: CSVReader.Record, _ header: [(name: String, target: Target)]) -> Item {
        var draft = Draft(line: record.line)
        if let flaw = record.flaw { draft.refuse(nil, nil, flaw) }
        let cells = record.cells.isEmpty ? [CSVReader.Cell(text: "", isQuoted: false)] : record.cells
        if draft.flaws.isEmpty, cells.count != header.count {
            draft.refuse(nil, nil, "has \(cells.count) columns, and the first line names \(header.count)")
        }
        guard draft.flaws.isEmpty else { return finished(draft) }
        for (cell, (name, target)) in zip(cells, header) {
            let isNone = cell.text.isEmpty && !cell.isQuoted
            switch target {
            case .ignored: break
            case .id, .version: if !isNone { set(target, name, .string(cell.text), in: &draft) }
            case .field(let field):
                if let value = isNone ? .null : field.value(ofCell: cell.text) {
                    set(target, name, value, in: &draft)
                } else {
                    draft.refuse(name, field.isRedacted ? nil : cell.text, "must be \(field.text)")
                }
            }
        }
        return finished(draft)
    }

    // MARK: - Lines of JSON

    /// - Returns: `nil` for an empty line.
    private mutating func item(_ line: [UInt8]) -> Item? {
        lines += 1
        if line.allSatisfy({ [0x09, 0x0D, 0x20].contains($0) }) { return nil }
        line.withUnsafeBufferPointer { read.add($0) }
        var draft = Draft(line: lines)
        let object = (try? WireJSON.decode(JSONValue.self, from: Data(line)))?.object
        if object == nil { draft.refuse(nil, nil, "is no JSON object") }
        for (name, value) in (object ?? [:]).sorted(by: { $0.key < $1.key }) {
            if let target = Self.target(name) {
                set(target, name, value, in: &draft)
            } else {
                draft.refuse(String(name.prefix(40)), nil, "is no field of \(Content.plural); known are \(Self.known)")
            }
        }
        return finished(draft)
    }

    // MARK: - Rows

    /// A row while its values are read.
    private struct Draft {
        let line: Int
        var id: Identifier<Content>?
        var version: Int?
        var fields: [String: JSONValue] = [:]
        var flaws: [ImportFlaw] = []

        mutating func refuse(_ column: String?, _ value: String?, _ reason: String) {
            flaws.append(ImportFlaw(line: line, column: column, value: value, reason: reason))
        }
    }

    private static var known: String { EntityColumn<Content>.list(EntityColumn<Content>.all.map(\.name)) }

    private static func target(_ name: String) -> Target? {
        if let field = Content.fields.first(where: { $0.name == name }) { return .field(field) }
        switch name {
        case "id": return .id
        case "version": return .version
        case "updated_at", "author", "sync_state": return .ignored
        default: return Content.sentValues.contains { $0.name == name } ? .ignored : nil
        }
    }

    /// Whether a new entity needs a value; a list is empty without one.
    private static func mustHave(_ field: EntityField<Content>) -> Bool { !field.mayBeOmitted && !field.kind.isList }

    private func set(_ target: Target, _ name: String, _ value: JSONValue, in draft: inout Draft) {
        switch target {
        case .ignored: break
        case .id:
            guard value != .null else { return }
            draft.id = value.string.flatMap { Identifier<Content>(parameter: $0) }
            if draft.id == nil {
                draft.refuse(name, value.filterText, "must be \(Identifier<Content>.parameterKind), or empty")
            }
        case .version:
            if case .integer(let number) = value { draft.version = number }
            if let text = value.string { draft.version = Int(text) }
            if draft.version == nil, value != .null { draft.refuse(name, value.filterText, "must be a whole number") }
        case .field(let field): set(field, value, in: &draft)
        }
    }

    private func set(_ field: EntityField<Content>, _ value: JSONValue, in draft: inout Draft) {
        let shown = field.isRedacted ? nil : value.filterText
        if value == .null, !field.isOptional {
            // A new entity gets the value of new ones, and another keeps its own.
            guard field.initial == nil else { return }
            if Self.mustHave(field) { return draft.refuse(field.name, nil, "must have a value") }
            draft.fields[field.name] = .array([])
            return
        }
        guard field.accepts(value) else { return draft.refuse(field.name, shown, "must be \(field.text)") }
        draft.fields[field.name] = value
        var check = FieldCheck()
        field.checkValue(field.name, value, &check)
        for flaw in check.errors { draft.refuse(flaw.field, shown, flaw.message) }
    }

    private mutating func finished(_ draft: Draft) -> Item {
        var draft = draft
        let row = rows
        rows += 1
        let missing = Content.fields.filter { draft.fields[$0.name] == nil && !$0.mayBeOmitted }
        if draft.id == nil, draft.flaws.isEmpty {
            for field in missing where Self.mustHave(field) { draft.refuse(field.name, nil, "must have a value") }
            for field in missing where !Self.mustHave(field) { draft.fields[field.name] = .array([]) }
        }
        let name = names?.name(of: row) ?? ""
        let made = ImportRow<Content>(
            line: draft.line, id: draft.id, version: draft.version, fields: draft.fields, name: name)
        // The rules over several fields. A row of some fields is checked with those that are stored.
        if draft.flaws.isEmpty, draft.id == nil || missing.isEmpty {
            do throws(DomainError) { _ = try made.step(over: nil, context) } catch {
                draft.flaws = ImportFlaw.all(error, line: draft.line)
            }
        }
        return draft.flaws.isEmpty ? .row(made) : .flaws(draft.flaws)
    }
}

/// The forms of rows that an import reads.
public enum RecordFormat: String, Sendable, CaseIterable {
    /// Rows with commas between the values, or one JSON object in each line.
    case csv, ndjson
}

extension ImportFlaw {
    /// What an error says of a row, by field where it names some.
    package static func all(_ error: DomainError, line: Int) -> [ImportFlaw] {
        guard case .validation(_, let fields) = error, !fields.isEmpty else {
            return [ImportFlaw(line: line, reason: error.description)]
        }
        return fields.map { ImportFlaw(line: line, column: $0.field, reason: $0.message) }
    }
}
