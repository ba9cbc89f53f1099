/// The fields of an entity, or the filters of a list, while a user fills them in.
struct BrowseForm: Sendable, Hashable {
    enum Purpose: Sendable, Hashable {
        case add, filter
        case edit(id: String)
    }

    struct Field: Sendable, Hashable {
        /// The name that values and errors have.
        let name: String
        let label: String
        /// The valid texts.
        let hint: String
        /// The valid texts where there are a few.
        var choices: [String]? = nil
        /// The text of the value that is there.
        let initial: String
        var editor: LineEditor
        var error: String?

        init(
            _ name: String, label: String, hint: String, choices: [String]? = nil, isLong: Bool = false,
            initial: String = ""
        ) {
            (self.name, self.label, self.hint, self.choices, self.initial) = (name, label, hint, choices, initial)
            editor = LineEditor(initial, allowsLines: isLong)
        }

        var isChanged: Bool { editor.text != initial }

        /// A choice has no text of its own: arrows go through the choices, a letter to the next one that begins with it.
        fileprivate mutating func handle(_ key: Key) {
            guard let choices, !choices.isEmpty else {
                if editor.handle(key) { error = nil }
                return
            }
            let place = choices.firstIndex(of: editor.text)
            var chosen: String?
            switch key {
            case .right, .character(" "): chosen = choices[place.map { ($0 + 1) % choices.count } ?? 0]
            case .left: chosen = choices[place.map { ($0 + choices.count - 1) % choices.count } ?? choices.count - 1]
            case .backspace, .delete, .control("u"): chosen = ""
            case .character(let letter):
                let after = place.map { $0 + 1 } ?? 0
                chosen = (choices[after...] + choices[..<after]).first { $0.hasPrefix(String(letter).lowercased()) }
            default: break
            }
            if let chosen { (editor, error) = (LineEditor(chosen), nil) }
        }
    }

    enum Outcome: Sendable, Hashable { case none, save, cancel }

    let purpose: Purpose
    let title: String
    var fields: [Field]
    var index = 0
    /// Whether what was typed is on its way; keys wait for the outcome.
    var isSaving = false
    /// Why it was not accepted, besides the errors of fields.
    var error: String?

    init(_ purpose: Purpose, title: String, _ fields: [Field]) {
        (self.purpose, self.title, self.fields) = (purpose, title, fields)
    }

    var isChanged: Bool { fields.contains(where: \.isChanged) }

    mutating func handle(_ key: Key) -> Outcome {
        if isSaving { return .none }
        switch key {
        case .escape: return .cancel
        case .control("s"): return .save
        case .enter:
            if purpose == .filter || index >= fields.count - 1 { return .save }
            index += 1
        case .down, .tab: index = min(index + 1, max(0, fields.count - 1))
        case .up, .backTab: index = max(0, index - 1)
        default: if fields.indices.contains(index) { fields[index].handle(key) }
        }
        return .none
    }

    /// Shows why it was not accepted, and goes to the first field that has an error.
    mutating func refuse(_ text: String, _ errors: [String: String]) {
        (isSaving, error) = (false, text)
        for place in fields.indices { fields[place].error = errors[fields[place].name] }
        if let first = fields.firstIndex(where: { $0.error != nil }) { index = first }
    }

    // MARK: - Screen

    /// A line for each field, and the hint of the one that is edited.
    func screen(_ size: ScreenSize) -> Screen {
        let labelWidth = min(20, fields.reduce(0) { max($0, DisplayWidth.cells(SafeText.oneLine($1.label))) })
        let valueCell = labelWidth + 4
        var (lines, cursor) = ([Screen.Line(left: Text(title, .bold)), .init(left: Text(""))], (line: 0, cell: 0))
        var current = 0..<0
        for (place, field) in fields.enumerated() {
            let isCurrent = place == index
            let view = field.editor.view(width: max(2, size.width - valueCell))
            let line = lines.count
            if isCurrent {
                cursor = (lines.count, valueCell + view.cursor)
            }
            let shown = isCurrent || !view.text.isEmpty ? Text(view.text) : Text("–", .dim)
            let label = Text(isCurrent ? "> " : "  ") + Text(field.label, isCurrent ? .bold : .dim)
            lines.append(.init(left: label, right: (valueCell, shown)))
            let note = field.error.map { ($0, TextStyle.red) } ?? (isCurrent ? (field.hint, .dim) : nil)
            if let (text, style) = note {
                for part in WrappedText.lines(text, width: max(8, size.width - valueCell)).prefix(3) {
                    lines.append(.init(left: Text(""), right: (valueCell, Text(part, style))))
                }
            }
            if isCurrent { current = line..<lines.count }
        }
        let errors = WrappedText.lines(error ?? (isSaving ? "Saving…" : ""), width: max(1, size.width)).prefix(3)
        // The current field and its hint stay on the screen.
        let room = max(2, size.height - 1 - errors.count)
        let skipped = min(current.lowerBound, max(0, current.upperBound - room))
        lines.removeFirst(min(skipped, lines.count))
        lines = Array(lines.prefix(room))
        while lines.count < room { lines.append(.init(left: Text(""))) }
        lines += errors.map { .init(left: Text($0, error == nil ? .plain : .red)) }
        lines.append(.init(left: Text(KeyHints.text(hints, keeping: 2, width: size.width), .dim)))
        return Screen(lines, size, cursor: isSaving ? nil : (cursor.line - skipped, cursor.cell))
    }

    private var hints: [String] {
        let current = fields.indices.contains(index) ? fields[index] : nil
        let choice = current?.choices == nil ? [] : ["←/→ choose"]
        let lineBreak = current?.editor.allowsLines == true ? ["^J line break"] : []
        return purpose == .filter
            ? choice + ["↑/↓ field", "^U clear", "Enter apply", "Esc back"]
            : choice + lineBreak + ["↑/↓ field", "^S save", "Esc back"]
    }
}
