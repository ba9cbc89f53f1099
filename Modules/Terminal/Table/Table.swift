/// Rows under headings, aligned for people and cut to the width of the terminal.
public struct Table: Sendable {
    public struct Column: Sendable {
        let title: String
        let isRightAligned: Bool
        let isFlexible: Bool
        let isWhole: Bool

        /// - Parameters:
        ///   - isRightAligned: For numbers.
        ///   - isFlexible: Gives way first when the terminal is too narrow.
        ///   - isWhole: Never cut: for ids, which are copied. A line that is then too long is left to the terminal.
        public init(
            _ title: String, isRightAligned: Bool = false, isFlexible: Bool = false, isWhole: Bool = false
        ) {
            self.title = title
            self.isRightAligned = isRightAligned
            self.isFlexible = isFlexible
            self.isWhole = isWhole
        }
    }

    /// One cell; its text becomes one line, whatever it holds.
    public struct Cell: Sendable, ExpressibleByStringInterpolation {
        let text: String
        let style: TextStyle

        public init(_ text: String, _ style: TextStyle = .plain) {
            self.text = SafeText.oneLine(text)
            self.style = style
        }

        public init(stringLiteral text: String) { self.init(text) }
    }

    private let columns: [Column]
    private var rows: [[Cell]] = []

    public init(_ columns: [Column]) { self.columns = columns }

    public var isEmpty: Bool { rows.isEmpty }

    /// - Parameter cells: As many as columns; what is missing stays empty, what is too much is left out.
    public mutating func add(_ cells: [Cell]) {
        rows.append(columns.indices.map { cells.indices.contains($0) ? cells[$0] : Cell("") })
    }

    /// The lines of the table, headings first.
    ///
    /// - Parameter width: Cells of the terminal; `nil` cuts nothing.
    func lines(width: Int?, colored: Bool) -> [String] {
        let widths = fitted(to: width)
        let head = columns.map { Cell($0.title, .bold) }
        return ([head] + rows).map { line($0, widths, colored: colored) }
    }

    private func line(_ cells: [Cell], _ widths: [Int], colored: Bool) -> String {
        var result = ""
        for (index, cell) in cells.enumerated() {
            let text = DisplayWidth.cut(cell.text, to: widths[index])
            let padding = String(repeating: " ", count: widths[index] - DisplayWidth.cells(text))
            let styled = cell.style.applied(to: text, colored: colored)
            let isLast = index == cells.count - 1
            if columns[index].isRightAligned {
                result += padding + styled
            } else {
                result += isLast ? styled : styled + padding
            }
            if !isLast { result += Self.gap }
        }
        return result
    }

    /// Natural widths, taken back until the line fits: flexible columns first, each to no less than its heading or eight
    /// cells; then the widest of those that may be cut.
    private func fitted(to width: Int?) -> [Int] {
        var widths = columns.indices.map { index in
            rows.reduce(DisplayWidth.cells(columns[index].title)) { max($0, DisplayWidth.cells($1[index].text)) }
        }
        guard let width else { return widths }
        var excess = widths.reduce(0, +) + Self.gap.count * max(0, columns.count - 1) - width
        let flexible = columns.indices.filter { columns[$0].isFlexible }
        for index in flexible where excess > 0 {
            let floor = max(8, DisplayWidth.cells(columns[index].title))
            let taken = min(excess, max(0, widths[index] - floor))
            widths[index] -= taken
            excess -= taken
        }
        let others = columns.indices.filter { !columns[$0].isWhole }
        while excess > 0, let widest = others.max(by: { widths[$0] < widths[$1] }), widths[widest] > 1 {
            widths[widest] -= 1
            excess -= 1
        }
        return widths
    }

    private static let gap = "  "
}
