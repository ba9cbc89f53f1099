/// The keys of `browse`, as `?` shows them.
enum BrowseHelp {
    private static let keys: [(keys: String, meaning: String)] = [
        ("↑ ↓ j k", "one row"),
        ("PgUp PgDn Space", "a screen"),
        ("^U ^D", "half a screen"),
        ("g G Home End", "first, last row"),
        ("Enter → l", "details"),
        ("Esc ← h", "back"),
        ("n p", "next, previous entry in the details"),
        ("/", "search as you type; Enter keeps it, Esc takes it back"),
        ("f", "filter by a column; Esc in the list shows all"),
        ("a", "add"),
        ("e", "edit"),
        ("d", "delete, after a question"),
        ("c", "settle a conflict"),
        ("r", "ask the server now"),
        ("^L", "draw again"),
        ("^Z", "back to the shell; 'fg' returns"),
        ("q", "quit"),
    ]

    /// A line for each key, or more where `width` asks for it.
    static func lines(width: Int) -> [Text] {
        let keyWidth = keys.reduce(0) { max($0, DisplayWidth.cells($1.keys)) } + 2
        var lines = [Text("Keys", .bold), Text("")]
        for (keys, meaning) in keys {
            let parts = WrappedText.lines(meaning, width: max(8, width - keyWidth))
            for (number, part) in parts.enumerated() {
                let key = number == 0 ? keys : ""
                let gap = String(repeating: " ", count: keyWidth - DisplayWidth.cells(key))
                lines.append(Text(key, .bold) + Text(gap + part))
            }
        }
        let form = "In a form ↑ ↓ Tab go through the fields, ^S saves, Esc leaves it."
        return lines + [Text("")] + WrappedText.lines(form, width: max(1, width)).map { Text($0) }
    }
}
