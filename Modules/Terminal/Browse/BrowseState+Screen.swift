import StrataDomain

extension BrowseState {
    /// Lines of the title, of the search, and of the keys.
    private static let frame = 3
    private static let smallest = (width: 20, height: 6)

    /// Lines for rows and their heading.
    var bodyHeight: Int { max(1, size.height - Self.frame) }
    /// Lines for rows.
    var listHeight: Int { max(1, bodyHeight - 1) }

    /// What the terminal shows now. Scrolls to the cursor.
    mutating func screen() -> Screen {
        guard size.width >= Self.smallest.width, size.height >= Self.smallest.height else {
            return Screen([Text("Too small")], size)
        }
        rows.scroll(height: listHeight)
        switch mode {
        case .form(let form): return form.screen(size)
        case .help: return panel(Self.help.map { Text($0) }, "Any key goes back")
        case .conflict(let conflict):
            return panel(
                conflict.screen(size, times: times, now: now), "l keep local  r keep the server's  Esc back")
        case .question(let text, _, .form(let form)):
            return panel([Text(form.title, .bold), Text(""), Text(text)], "y yes  any other key no")
        case .list, .search, .question: return list()
        }
    }

    private func panel(_ lines: [Text], _ hint: String) -> Screen {
        let room = size.height - 1
        let body = lines.prefix(room) + Array(repeating: Text(""), count: max(0, room - lines.count))
        return Screen(body + [Text(hint, .dim)], size)
    }

    private mutating func list() -> Screen {
        var cursor: (line: Int, cell: Int)?
        var body: [Screen.Line]
        let listWidth = isWide ? size.width * 11 / 20 : size.width
        if isReading, !isWide {
            body = detailLines(size.width).map { .init(left: $0) }
        } else {
            body = listLines(listWidth).map { .init(left: $0) }
            if isWide { add(&body, from: listWidth) }
        }
        body += Array(repeating: Screen.Line(left: Text("")), count: max(0, bodyHeight - body.count))
        var second = Text(queryText, .cyan)
        if case .search(let editor, _) = mode {
            let view = editor.view(width: max(2, size.width - 1))
            second = Text("/", .cyan) + Text(view.text)
            cursor = (1, 1 + view.cursor)
        }
        return Screen(
            [Screen.Line(left: title), .init(left: second)] + body.prefix(bodyHeight) + [.init(left: footer)], size,
            cursor: cursor)
    }

    private mutating func listLines(_ width: Int) -> [Text] {
        if rows.isEmpty {
            let isNarrowed = !search.isEmpty || !filters.isEmpty
            let text =
                isLoading
                ? "Loading…"
                : isNarrowed
                    ? "No \(abilities.plural) are like this; Esc shows all."
                    : "There are no \(abilities.plural) yet; a adds one."
            return [Text(""), Text("  " + (trouble ?? text), trouble == nil ? .dim : .yellow)]
        }
        return rows.lines(width: width, height: listHeight, times: times, now: now)
    }

    private mutating func detailLines(_ width: Int) -> [Text] {
        let height = bodyHeight
        return details?.screen(width: width, height: height) ?? []
    }

    /// The details beside the list.
    private mutating func add(_ body: inout [Screen.Line], from cell: Int) {
        let lines = detailLines(size.width - cell - 3)
        let bar = Text(isReading ? "┃ " : "│ ", isReading ? .bold : .dim)
        body += Array(repeating: Screen.Line(left: Text("")), count: max(0, bodyHeight - body.count))
        for place in body.indices {
            body[place].right = (cell + 1, bar + (lines.indices.contains(place) ? lines[place] : Text("")))
        }
    }

    private var title: Text {
        let count = rows.isEmpty ? "0" : QuantityText.count(rows.selected + 1)
        let all = QuantityText.count(rows.count) + (rows.isCounted ? "" : "+")
        let state = isLoading ? "loading…" : freshness
        return Text(SafeText.oneLine(abilities.plural), .bold) + Text("  \(count) of \(all)")
            + Text("  ·  \(state)", .dim)
    }

    /// The search and the filters of the list.
    private var queryText: String {
        let parts =
            (search.isEmpty ? [] : ["/\(search)"])
            + filters.sorted { $0.key < $1.key }.map { "\($0.key.replacing("_", with: "-"))=\($0.value)" }
        return parts.joined(separator: "  ")
    }

    private var footer: Text {
        switch (mode, message) {
        case (.question(let text, _, _), _): return Text("\(text) ", .yellow) + Text("y yes, any other key no", .dim)
        case (_, .failure(let text)?): return Text(text, .red)
        case (_, .note(let text)?): return Text(text, .green)
        case (.search, _): return Text("Enter keeps the search  Esc takes it back  ↑/↓ move", .dim)
        default: break
        }
        if let trouble, !rows.isEmpty { return Text(trouble, .yellow) }
        let keys =
            isReading
            ? "↑/↓ scroll  n/p next  e edit  Esc back  ? keys"
            : "/ search  f filter  Enter details  a add  e edit  d delete  ? keys  q quit"
        return Text(keys, .dim)
    }

    static let help = [
        "Keys", "",
        "↑ ↓ j k         one row            PgUp PgDn Space  a screen",
        "g G Home End    first, last row    ^U ^D            half a screen",
        "Enter → l       details            Esc ← h          back",
        "n p             next, previous entry in the details",
        "/               search as you type; Enter keeps it, Esc takes it back",
        "f               filter by a column; Esc in the list shows all",
        "a               add",
        "e               edit",
        "d               delete, after a question",
        "c               settle a conflict",
        "r               read again",
        "^L              draw again",
        "^Z              back to the shell; 'fg' returns",
        "q               quit",
        "", "In a form: ↑ ↓ Tab go through the fields, ^S saves, Esc leaves it.",
    ]
}
