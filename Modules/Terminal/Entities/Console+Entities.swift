public import StrataDomain

extension Console {
    /// Prints a list: a table with a column for each short field, or JSON.
    ///
    /// - Parameters:
    ///   - limit: Rows to show at most, from `--limit`.
    ///   - isCut: Whether the list was read up to one more than `limit`. Default: it was read whole.
    ///   - empty: Said instead of a table without rows.
    public func list<Content: Entity>(
        _ snapshot: Snapshot<[Stored<Content>]>, limit: Int, isCut: Bool = false, empty: String
    ) throws {
        if let origin = snapshot.origin.note(at: clock.now) { note(origin) }
        let items = Array(snapshot.value.prefix(limit))
        defer { noteCut(shown: items.count, of: snapshot.value.count, atMost: isCut ? limit : .max) }
        if isJSON { return try json(items) }
        self.table(Table(entities: items), empty: empty)
        noteUnsettled(items, conflicts: "conflicts list")
    }

    /// Prints how many of the entities wait to be sent, and the command for conflicts if there are any.
    public func noteUnsettled<Content: Entity>(_ items: [Stored<Content>], conflicts command: String) {
        let waiting = items.count { $0.syncState == .queued }
        if waiting > 0 { note("\(waiting) queued: the next sync sends them.") }
        if items.contains(where: { $0.syncState == .conflicted }) { note("Settle conflicts with '\(command)'.") }
    }

    /// Prints one entity: each field on a line, long fields last.
    public func show<Content: Entity>(_ snapshot: Snapshot<Stored<Content>>) throws {
        if let origin = snapshot.origin.note(at: clock.now) { note(origin) }
        let item = snapshot.value
        if isJSON { return try json(item) }
        shortFields(item)
        for field in Content.fields where field.isLong {
            let text = field.isRedacted ? field.hidden(item.content) : field.text(item.content, times)
            guard text != EntityField<Content>.none else { continue }
            out("")
            out("\(field.label):")
            out(text.hasSuffix("\n") ? String(text.dropLast()) : text)
        }
    }

    /// Prints id, short fields, state, version and time of an entity, each on a line.
    public func shortFields<Content: Entity>(_ item: Stored<Content>) {
        let short = Content.fields.filter { !$0.isLong }.map {
            ($0.label, $0.isRedacted ? $0.hidden(item.content) : $0.text(item.content, times))
        }
        fields(
            [("id", item.id.rawValue)] + short + Content.computedFields.map { ($0.name, $0.text(item)) }
                + (Content.recordsAuthor ? [("author", item.author ?? "none")] : [])
                + [
                    ("state", item.syncState.rawValue), ("version", "\(item.version)"),
                    ("updated", times.point(item.updatedAt)),
                ])
    }

    /// Prints that an entity was written, and whether the server has it.
    ///
    /// - Throws: `CommandFailure` if the server has rejected it already.
    public func confirm<Content: Entity>(_ item: Stored<Content>, _ result: String) throws {
        let isSettled = item.syncState == .synced
        if isJSON {
            try jsonOfChange(item)
        } else {
            try confirm(item.id.rawValue, isSettled ? "\(result), version \(item.version)" : item.syncState.rawValue)
        }
        switch item.syncState {
        case .synced, .queued: break
        case .conflicted: warn("It was changed on the server, too; 'conflicts list' shows both.")
        case .rejected: throw CommandFailure(.rejected, "The server refused it; 'outbox list' says why.")
        }
    }
}

extension Table {
    /// A column for each short field, and one for the state where an entity is not settled.
    public init<Content: Entity>(entities items: [Stored<Content>]) {
        let fields = Content.fields.filter { !$0.isLong && !$0.isRedacted }.prefix(8)
        let isUnsettled = items.contains { $0.syncState != .synced }
        let hasAuthors = items.contains { $0.author != nil }
        self.init(
            [.id("ID")] + fields.map(\.column) + Content.computedFields.map { .init($0.name.uppercased()) }
                + (hasAuthors ? [.init("AUTHOR")] : [])
                + (isUnsettled ? [.init("STATE")] : []))
        for item in items {
            add(
                [.init(item.id.rawValue, .dim)] + fields.map { $0.cell(item.content) }
                    + Content.computedFields.map { .init($0.text(item)) }
                    + (hasAuthors ? [.init(item.author ?? "")] : [])
                    + (isUnsettled ? [.init(item.syncState.rawValue, item.syncState.style)] : []))
        }
    }
}

extension EntityField {
    fileprivate static var none: String { "none" }
    fileprivate var isNumber: Bool { kind == .integer || kind == .number }

    /// The column of a table; not for a field of several lines.
    public var column: Table.Column {
        let title = label.uppercased()
        return kind == .time ? .time(title) : .init(title, isRightAligned: isNumber, isFlexible: !isNumber)
    }

    public func cell(_ root: Root) -> Table.Cell {
        if kind == .time, case .string(let text) = value(root), let date = RFC3339.date(from: text) {
            return .init(date)
        }
        return .init(text(root, .utc))
    }

    /// The value for people; `none` without one.
    fileprivate func text(_ root: Root, _ times: TimeText) -> String {
        switch value(root) {
        case .null: Self.none
        case .bool(let flag): flag ? "yes" : "no"
        case .integer(let number): "\(number)"
        case .number(let number): "\(number)"
        case .string(let text): kind == .time ? RFC3339.date(from: text).map(times.point) ?? text : text
        case .array(let words): words.isEmpty ? Self.none : words.compactMap(\.string).joined(separator: " ")
        case .object: "?"
        }
    }

    /// Whether there is a value.
    fileprivate func hidden(_ root: Root) -> String { value(root) == .null ? Self.none : "hidden; --json shows it" }
}

extension SyncState {
    public var style: TextStyle {
        switch self {
        case .synced: .plain
        case .queued: .cyan
        case .conflicted: .yellow
        case .rejected: .red
        }
    }
}
