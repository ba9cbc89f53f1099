public import StrataDomain
import StrataSystem

extension Console {
    /// Prints the end of a list, and where it came from.
    public func finish<Content: Entity>(_ found: Snapshot<ListOutput<Stored<Content>>>) throws {
        if let origin = found.origin.note(at: clock.now) { note(origin) }
        var output = found.value
        try output.finish()
        noteUnsettled(output.items)
    }

    /// The list of all entities, which says where nothing was ever synchronised that its rows are those of this machine.
    func explained<View: EntityView>(
        _ found: Snapshot<ListOutput<Stored<View.Content>>>, _ view: View.Type, _ entities: EntityUseCases<View.Content>
    ) async -> Snapshot<ListOutput<Stored<View.Content>>> {
        guard found.value.isTable, found.value.count == 0, let status = try? await entities.upkeep.status?(),
            let step = status.firstStep
        else { return found }
        var found = found
        found.value.explainNoRows("There are no \(View.Content.plural) on this machine yet. \(step)")
        return found
    }

    /// Prints the command for conflicts if there are any. How many wait to be sent is in the line of freshness.
    func noteUnsettled<Content: Entity>(_ items: [Stored<Content>]) {
        if items.contains(where: { $0.syncState == .conflicted }) {
            note("Settle conflicts with '\(ProgramName.current) conflicts list'.")
        }
    }

    /// Prints how far the rows of an offline store are behind the server; nothing as JSON, and where the store cannot tell.
    public func noteFreshness<Content: Entity>(_ entities: EntityUseCases<Content>) async {
        guard !isJSON, let status = try? await entities.upkeep.status?() else { return }
        note(status.freshness(at: clock.now))
    }

    /// Prints one entity: each field on a line, long fields last. An entity of the offline store has a state, because it may wait to be
    /// sent.
    public func show<View: EntityView>(_ view: View.Type, _ snapshot: Snapshot<Stored<View.Content>>) throws {
        if let origin = snapshot.origin.note(at: clock.now) { note(origin) }
        try show(View.document(snapshot.value)) { lines(snapshot.value, withState: snapshot.origin == .local) }
    }

    private func lines<Content: Entity>(_ item: Stored<Content>, withState: Bool) {
        let details = EntityLines(item, times, withState: withState)
        fields(details.fields)
        for text in details.texts {
            out("")
            if let name = text.name { out("\(name):") }
            out(text.text)
        }
    }

    /// Prints that an entity was written, and whether the server has it.
    ///
    /// - Parameter advice: What else is to be said about the write.
    /// - Throws: `CommandFailure` if the server has rejected it already.
    func confirm<View: EntityView>(
        _ view: View.Type, _ item: Stored<View.Content>, _ result: String, _ advice: [String]
    ) throws {
        defer { for sentence in advice { warn(sentence) } }
        if isJSON {
            try jsonOfChange(View.document(item))
        } else {
            try confirm(item.id.rawValue, View.outcome(result, item))
        }
        let program = ProgramName.current
        switch item.syncState {
        case .synced, .queued: break
        case .conflicted: warn("It was changed on the server, too; '\(program) conflicts list' shows both.")
        case .rejected: throw CommandFailure(.rejected, "The server refused it; '\(program) outbox list' says why.")
        }
    }
}

/// What `show` prints of an entity.
struct EntityLines: Sendable {
    var fields: [(name: String, value: String)]
    /// Long fields that have a value. The only long field of an entity needs no name.
    var texts: [(name: String?, text: String)] = []
}

extension EntityLines {
    /// - Parameter withState: An entity of the offline store has a state, because it may wait to be sent.
    init<Content: Entity>(_ item: Stored<Content>, _ times: TimeText, withState: Bool) {
        let short = Content.fields.filter { !$0.isLong }.map {
            ($0.label, $0.isRedacted ? $0.hidden(item.content) : $0.line(item.content, times))
        }
        fields =
            [("id", item.id.rawValue)] + short + Content.computedFields.map { ($0.name, $0.text(item)) }
            + (Content.recordsAuthor ? [("author", item.author ?? "none")] : [])
            + (withState ? [("state", item.syncState.rawValue)] : [])
            + [("version", "\(item.version)"), ("updated", times.point(item.updatedAt))]
        let long = Content.fields.filter(\.isLong)
        for field in long {
            let text = field.isRedacted ? field.hidden(item.content) : field.text(item.content, times)
            guard text != EntityField<Content>.none else { continue }
            texts.append((long.count > 1 ? field.label : nil, text.hasSuffix("\n") ? String(text.dropLast()) : text))
        }
    }
}

extension Table {
    /// A column for each short field, and one for the state where an entity is not settled.
    public init<Content: Entity>(entities items: [Stored<Content>]) {
        let (hasAuthors, isSettled) = (
            items.contains { $0.author != nil }, items.allSatisfy { $0.syncState == .synced }
        )
        var columns: [ListColumn<Stored<Content>>] = [.id { $0.id.rawValue }]
        columns += Content.fields.filter { !$0.isLong && !$0.isRedacted }.prefix(8).map { field in
            .init(field.column) { field.cell($0.content) }
        }
        columns += Content.computedFields.map { field in .init(.init(field.name.uppercased())) { .init(field.text($0)) }
        }
        if hasAuthors { columns.append(.init(.init("AUTHOR")) { .init($0.author ?? "") }) }
        if !isSettled { columns.append(.init(.init("STATE")) { .init($0.syncState.rawValue, $0.syncState.style) }) }
        self.init(items, columns)
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

    /// The value of the field as a cell of a table.
    public func cell(_ root: Root) -> Table.Cell {
        if kind == .time, case .string(let text) = value(root), let date = RFC3339.date(from: text) {
            return .init(date)
        }
        return .init(text(root, .utc))
    }

    /// The value for people; `none` without one.
    fileprivate func text(_ root: Root, _ times: TimeText) -> String { text(of: value(root), times) }

    func text(of value: JSONValue, _ times: TimeText = .utc) -> String {
        switch value {
        case .null: Self.none
        case .bool(let flag): flag ? "yes" : "no"
        case .integer(let number): "\(number)"
        case .number(let number): "\(number)"
        case .string(let text): kind == .time ? RFC3339.date(from: text).map(times.point) ?? text : name(text) ?? text
        case .array(let items): items.isEmpty ? Self.none : Self.list(items)
        case .object: (try? WireJSON.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "?"
        }
    }

    private static func list(_ items: [JSONValue]) -> String {
        let texts = items.map { $0.string ?? EntityField.number($0) }
        return texts.joined(separator: texts.contains { $0.contains(where: \.isWhitespace) } ? ", " : " ")
    }

    private static func number(_ value: JSONValue) -> String {
        switch value {
        case .integer(let number): "\(number)"
        case .number(let number): "\(number)"
        default: ""
        }
    }

    /// The same, for a name with the id behind it.
    fileprivate func line(_ root: Root, _ times: TimeText) -> String {
        guard let id = value(root).string, let name = name(id) else { return text(root, times) }
        return "\(name) (\(id))"
    }

    /// The name of what an id refers to, if it is known.
    private func name(_ id: String) -> String? { reference.flatMap { ReferenceNames.shown[$0.target, id] } }

    /// Whether there is a value.
    fileprivate func hidden(_ root: Root) -> String { value(root) == .null ? Self.none : "hidden; --json shows it" }
}

extension SyncState {
    /// How the state is shown.
    public var style: TextStyle {
        switch self {
        case .synced: .plain
        case .queued: .cyan
        case .conflicted: .yellow
        case .rejected: .red
        }
    }
}
