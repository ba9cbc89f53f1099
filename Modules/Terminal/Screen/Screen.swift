/// The size of a terminal in cells.
struct ScreenSize: Sendable, Hashable {
    var width = 80
    var height = 24
}

/// What a terminal shows: a line for each of its lines.
struct Screen: Sendable {
    struct Line: Sendable {
        var left: Text
        /// A second text, which begins at a cell of its own, so that the width of the first does not move it.
        var right: (cell: Int, text: Text)?
    }

    private(set) var lines: [Line]
    /// The place of the cursor; `nil` hides it.
    var cursor: (line: Int, cell: Int)?

    /// Every text is cut to the place that it has, and what is below the last line is left out.
    init(_ lines: [Line], _ size: ScreenSize, cursor: (line: Int, cell: Int)? = nil) {
        let empty = Array(repeating: Line(left: Text("")), count: max(0, size.height - lines.count))
        self.lines = (lines.prefix(size.height) + empty).map { line in
            guard let right = line.right, right.cell < size.width else {
                return Line(left: line.left.cut(to: size.width))
            }
            return Line(
                left: line.left.cut(to: right.cell),
                right: (right.cell, right.text.cut(to: size.width - right.cell)))
        }
        self.cursor = cursor.map { (min($0.line, size.height - 1), min($0.cell, size.width - 1)) }
    }

    init(_ lines: [Text], _ size: ScreenSize, cursor: (line: Int, cell: Int)? = nil) {
        self.init(lines.map { Line(left: $0) }, size, cursor: cursor)
    }

    /// The text of each line, for tests.
    var text: [String] {
        lines.map { line in
            let left = line.left.plain
            guard let right = line.right else { return left }
            let gap = String(repeating: " ", count: max(0, right.cell - DisplayWidth.cells(left)))
            return left + gap + right.text.plain
        }
    }
}

/// Draws screens one after the other, and of each only the lines that differ from the one before.
struct ScreenPainter: Sendable {
    private let colored: Bool
    private var last: [String] = []
    private var lastCursor: (line: Int, cell: Int)?

    init(colored: Bool) { self.colored = colored }

    /// The next screen is drawn whole.
    mutating func reset() { last = [] }

    /// What the terminal must be sent; nothing for the same screen. A line that a terminal shows wider than expected moves no other.
    mutating func drawing(of screen: Screen) -> String {
        let lines = screen.lines.map(rendered)
        let (line, cell) = (screen.cursor?.line, screen.cursor?.cell)
        guard last != lines || line != lastCursor?.line || cell != lastCursor?.cell else { return "" }
        lastCursor = screen.cursor
        var text = "\u{1B}[?25l"
        if last.count != lines.count { text += "\u{1B}[2J" }
        for (number, line) in lines.enumerated() where last.count != lines.count || last[number] != line {
            text += "\u{1B}[\(number + 1);1H\u{1B}[0m\u{1B}[2K\(line)"
        }
        last = lines
        if let cursor = screen.cursor { text += "\u{1B}[\(cursor.line + 1);\(cursor.cell + 1)H\u{1B}[?25h" }
        return text
    }

    private func rendered(_ line: Screen.Line) -> String {
        let left = line.left.rendered(colored: colored)
        guard let right = line.right else { return left }
        return "\(left)\u{1B}[\(right.cell + 1)G\u{1B}[K\(right.text.rendered(colored: colored))"
    }
}
