/// A text that is edited, and the place of the cursor in it.
struct LineEditor: Sendable, Hashable {
    private(set) var before: String
    private(set) var after = ""
    /// Whether the text may have line breaks: control-J, and those of a paste.
    let allowsLines: Bool

    /// The cursor is at the end.
    init(_ text: String = "", allowsLines: Bool = false) {
        before = text
        self.allowsLines = allowsLines
    }

    var text: String { before + after }

    /// - Returns: Whether the key edits or moves.
    mutating func handle(_ key: Key) -> Bool {
        switch key {
        case .character(let character): insert(String(character))
        case .paste(let text): insert(text)
        case .control("j") where allowsLines: insert("\n")
        case .backspace: if !before.isEmpty { before.removeLast() }
        case .delete, .control("d"): if !after.isEmpty { after.removeFirst() }
        case .left, .control("b"): if let last = before.popLast() { after = String(last) + after }
        case .right, .control("f"): if !after.isEmpty { before.append(after.removeFirst()) }
        case .home, .control("a"): (before, after) = ("", text)
        case .end, .control("e"): (before, after) = (text, "")
        case .control("u"): before = ""
        case .control("k"): after = ""
        case .control("w"): removeWord()
        default: return false
        }
        return true
    }

    /// Line breaks become spaces where there may be none; other control characters are left out.
    private mutating func insert(_ text: String) {
        let lines = text.replacing("\r\n", with: "\n").replacing("\r", with: "\n").replacing("\t", with: " ")
        let kept = (allowsLines ? lines : lines.replacing("\n", with: " ")).unicodeScalars.filter {
            $0 == "\n" || $0.properties.generalCategory != .control
        }
        before.unicodeScalars.append(contentsOf: kept)
    }

    private mutating func removeWord() {
        while before.last?.isWhitespace == true { before.removeLast() }
        while let last = before.last, !last.isWhitespace { before.removeLast() }
    }

    /// The part around the cursor, escaped, and the cell of the cursor in it.
    ///
    /// - Parameter width: Cells, 2 or more.
    func view(width: Int) -> (text: String, cursor: Int) {
        let (left, right) = (SafeText.oneLine(before), SafeText.oneLine(after))
        let cells = DisplayWidth.cells(left)
        guard cells >= width else { return (DisplayWidth.cut(left + right, to: width), cells) }
        var (tail, used) = ("", 1)
        for character in left.reversed() {
            let next = used + DisplayWidth.cells(character)
            guard next < width else { break }
            (tail, used) = (String(character) + tail, next)
        }
        return (DisplayWidth.cut("…" + tail + right, to: width), used)
    }
}
