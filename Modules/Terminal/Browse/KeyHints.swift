/// Keys and what they do, on one line.
enum KeyHints {
    /// As many of `all` as fit into `width` cells.
    ///
    /// - Parameter last: So many at the end always stay; of the others the last ones are left out first.
    static func text(_ all: [String], keeping last: Int, width: Int) -> String {
        var others = Array(all.dropLast(last))
        while true {
            let text = (others + all.suffix(last)).joined(separator: "  ")
            if others.isEmpty || DisplayWidth.cells(text) <= width { return text }
            others.removeLast()
        }
    }
}
