import StrataDomain

extension BrowseState {
    private static let smallest = (width: 20, height: 6)

    /// Lines for rows and their heading: those without the title, the search, and the foot.
    var bodyHeight: Int { max(1, size.height - 2 - foot.count) }
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
        case .help, .conflict, .question(_, _, .form), .question(_, _, .conflict): return panel()
        case .list, .search, .question: return list()
        }
    }

    /// Lines for a text that takes the place of the list.
    var panelHeight: Int { max(1, size.height - foot.count) }

    /// The text that takes the place of the list.
    var panelLines: [Text] {
        switch mode {
        case .help: BrowseHelp.lines(width: size.width)
        case .conflict(let conflict), .question(_, _, .conflict(let conflict)): conflict.lines(width: size.width)
        case .question(_, _, .form(let form)): [Text(form.title, .bold)]
        default: []
        }
    }

    private func panel() -> Screen {
        let (lines, room) = (panelLines, panelHeight)
        let top = max(0, min(panelTop, lines.count - room))
        let shown = lines.dropFirst(top).prefix(room)
        return Screen(shown + Array(repeating: Text(""), count: room - shown.count) + foot, size)
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
            [Screen.Line(left: title), .init(left: second)] + body.prefix(bodyHeight) + foot.map { .init(left: $0) },
            size, cursor: cursor)
    }

    private mutating func listLines(_ width: Int) -> [Text] {
        if rows.isEmpty {
            let isNarrowed = !search.isEmpty || !filters.isEmpty
            let text =
                isLoading
                ? "Loading…"
                : isNarrowed
                    ? "No \(abilities.plural) are like this; Esc shows all."
                    : "There are no \(abilities.plural) \(firstStep == nil ? "" : "on this machine ")yet; a adds one."
            let lines = [Text(""), Text("  " + (trouble ?? text), trouble == nil ? .dim : .yellow)]
            guard !isLoading, !isNarrowed, trouble == nil, let firstStep else { return lines }
            return lines + [Text("  " + firstStep, .dim)]
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

    /// The last lines: a question, the outcome of an action, or the keys.
    private var foot: [Text] {
        switch (mode, message) {
        case (.question(let text, _, _), _):
            let hint = "y yes, any other key no"
            let isShort = DisplayWidth.cells(SafeText.oneLine(text)) + 1 + hint.count <= size.width
            return isShort
                ? [Text("\(text) ", .yellow) + Text(hint, .dim)] : wrapped(text, .yellow) + [Text(hint, .dim)]
        case (.help, _):
            return [
                hints(
                    panelLines.count >= size.height ? ["↑/↓ scroll", "Any other key goes back"] : ["Any key goes back"])
            ]
        case (.conflict, _):
            let scroll = panelLines.count >= size.height ? ["↑/↓ scroll"] : []
            return [hints(scroll + ["l keep local", "r keep the server's", "Esc back"], keeping: 3)]
        case (_, .failure(let text)?): return wrapped(text, .red)
        case (_, .note(let text)?): return wrapped(text, .green)
        case (.search, _): return [hints(["↑/↓ move", "Enter keeps it", "Esc takes it back"], keeping: 2)]
        default: break
        }
        if let trouble, !rows.isEmpty { return wrapped(trouble, .yellow) }
        let conflict = hasConflict ? ["c settle conflict"] : []
        return [
            isReading
                ? hints(conflict + ["↑/↓ scroll", "n/p next", "e edit", "Esc back", "? keys"], keeping: 2)
                : hints(
                    conflict
                        + ["/ search", "f filter", "Enter details", "a add", "e edit", "d delete", "? keys", "q quit"],
                    keeping: 2)
        ]
    }

    /// At most four lines, and three lines of the list stay.
    private func wrapped(_ text: String, _ style: TextStyle) -> [Text] {
        let most = max(1, min(4, size.height - 5))
        let lines = WrappedText.lines(text, width: max(1, size.width))
        guard lines.count > most else { return lines.map { Text($0, style) } }
        return lines.prefix(most - 1).map { Text($0, style) } + [Text(lines[most - 1] + " …", style)]
    }

    private func hints(_ all: [String], keeping last: Int = 1) -> Text {
        Text(KeyHints.text(all, keeping: last, width: size.width), .dim)
    }
}
