public import FoundationEssentials
import StrataDomain

/// Rows under headings, aligned, and cut or wrapped to the width of the terminal.
public struct Table: Sendable {
    /// A column with its title.
    public struct Column: Sendable {
        enum Kind: Sendable, Hashable { case text, id, time }

        let title: String
        /// On a terminal of fewer than `narrowWidth` cells.
        let narrowTitle: String
        let kind: Kind
        /// Prefix of each id on a terminal.
        let owner: String?
        let isRightAligned: Bool
        let isFlexible: Bool
        let isWhole: Bool
        private(set) var isWrapped = false

        /// - Parameters:
        ///   - narrow: The title on a narrow terminal. Default: the same.
        ///   - isRightAligned: For numbers; never cut.
        ///   - isFlexible: Cut first if the terminal is too narrow.
        ///   - isWhole: Never cut, for values to copy. The terminal wraps a line that is too long.
        public init(
            _ title: String, narrow: String? = nil, isRightAligned: Bool = false, isFlexible: Bool = false,
            isWhole: Bool = false
        ) {
            self.init(
                title, .text, narrow: narrow, isRightAligned: isRightAligned, isFlexible: isFlexible, isWhole: isWhole)
        }

        private init(
            _ title: String, _ kind: Kind, narrow: String? = nil, owner: String? = nil, isRightAligned: Bool = false,
            isFlexible: Bool = false, isWhole: Bool = true
        ) {
            self.title = title
            narrowTitle = narrow ?? title
            self.kind = kind
            self.owner = owner
            self.isRightAligned = isRightAligned
            self.isFlexible = isFlexible
            self.isWhole = isWhole || isRightAligned
        }

        /// The same, with cells that are continued on further lines of their row instead of being cut, for values to compare.
        var wrapped: Column {
            var column = self
            column.isWrapped = true
            return column
        }

        /// Ids: on a terminal their shortest unique ends, elsewhere complete.
        ///
        /// - Parameter owner: The id of the parent, whose end is printed before a `/`.
        public static func id(_ title: String, of owner: String? = nil) -> Column {
            Column(title, .id, owner: owner.map { ShortIDs([$0]).text($0) + "/" })
        }

        /// Times: on a terminal to the minute, with the year only if a row has another year than now; elsewhere to
        /// the second and with the offset.
        public static func time(_ title: String) -> Column { Column(title, .time) }
    }

    /// One cell; line breaks in its text are escaped.
    public struct Cell: Sendable, ExpressibleByStringInterpolation {
        let text: String
        let narrowText: String
        /// The text as it is, for an export; `nil` where there is none.
        let value: String?
        let style: TextStyle
        let date: Date?

        /// - Parameter narrow: The text on a narrow terminal. Default: the same.
        public init(_ text: String, _ style: TextStyle = .plain, narrow: String? = nil) {
            self.text = SafeText.oneLine(text)
            narrowText = narrow ?? self.text
            value = text.isEmpty ? nil : text
            self.style = style
            date = nil
        }

        /// - Parameter missing: Text for a missing time.
        public init(_ date: Date?, missing: String = "") {
            text = missing
            narrowText = missing
            value = date?.fieldValue.string
            style = .plain
            self.date = date
        }

        public init(stringLiteral text: String) { self.init(text) }
    }

    private let columns: [Column]
    private var rows: [[Cell]] = []

    /// A table without rows.
    public init(_ columns: [Column]) { self.columns = columns }

    /// Whether it has no row.
    public var isEmpty: Bool { rows.isEmpty }

    /// - Parameter cells: One per column; missing cells stay empty, additional cells are ignored.
    public mutating func add(_ cells: [Cell]) {
        rows.append(columns.indices.map { cells.indices.contains($0) ? cells[$0] : Cell("") })
    }

    /// The lines of the table, headings first.
    ///
    /// - Parameters:
    ///   - width: Width of the terminal in cells; `nil` cuts nothing.
    ///   - times: The time zone.
    ///   - now: Its year is omitted from times.
    func lines(width: Int?, colored: Bool, times: TimeText, now: Date) -> [String] {
        texts(width: width, times: times, now: now).map { $0.rendered(colored: colored) }
    }

    /// The same, for a caller that changes the style. Ids, times and numbers may be wider than the terminal; a row takes several
    /// lines only in a table with a wrapped column.
    func texts(width: Int?, times: TimeText, now: Date) -> [Text] {
        let shown = columns.indices.map { column(at: $0, width: width, times, now) }
        let widths = fitted(shown, to: width)
        return (0...rows.count).flatMap { row in
            let cells = columns.indices.map { pieces(of: shown[$0][row], columns[$0], widths[$0]) }
            return (0..<cells.reduce(1) { max($0, $1.count) }).map { line in
                let parts = columns.indices.map { index in
                    (
                        cells[index].dropFirst(line).first ?? "",
                        row == 0 ? TextStyle.bold : rows[row - 1][index].style
                    )
                }
                return self.line(parts, widths)
            }
        }
    }

    /// The lines of a cell.
    private func pieces(of text: String, _ column: Column, _ width: Int) -> [String] {
        guard column.isWrapped, DisplayWidth.cells(text) > width else { return [DisplayWidth.cut(text, to: width)] }
        return WrappedText.lines(text, width: max(1, width), limit: .max)
    }

    /// Title and texts of a column, as they are shown where there is room.
    private func column(at index: Int, width: Int?, _ times: TimeText, _ now: Date) -> [String] {
        let (column, cells, isShort) = (columns[index], rows.map { $0[index] }, width != nil)
        switch column.kind {
        case .text:
            let isNarrow = width.map { $0 < Self.narrowWidth } ?? false
            return isNarrow ? [column.narrowTitle] + cells.map(\.narrowText) : [column.title] + cells.map(\.text)
        case .id:
            guard isShort else { return [column.title] + cells.map(\.text) }
            let ids = ShortIDs(cells.lazy.map(\.text))
            return [column.title] + cells.map { (column.owner ?? "") + ids.text($0.text) }
        case .time:
            let dates = cells.compactMap(\.date)
            guard isShort, !dates.isEmpty else {
                return [column.title] + cells.map { $0.date.map(times.point) ?? $0.text }
            }
            let year = times.year(now)
            let withYear = dates.contains { times.year($0) != year }
            let title = column.title + (dates.allSatisfy(times.isUTC) ? " UTC" : "")
            return [title] + cells.map { $0.date.map { times.short($0, withYear: withYear) } ?? $0.text }
        }
    }

    private func line(_ cells: [(text: String, style: TextStyle)], _ widths: [Int]) -> Text {
        var result = Text("")
        for (index, cell) in cells.enumerated() {
            // A wide character does not fit into a wrapped column of one cell.
            let padding = String(repeating: " ", count: max(0, widths[index] - DisplayWidth.cells(cell.text)))
            let styled = Text(cell.text, cell.style)
            let isLast = index == cells.count - 1
            if columns[index].isRightAligned {
                result = result + Text(padding) + styled
            } else {
                result = result + (isLast ? styled : styled + Text(padding))
            }
            if !isLast { result = result + Text(Self.gap) }
        }
        return result
    }

    /// Column widths, reduced until the line fits: first flexible columns while they stay readable, then other texts, then
    /// all others; the widest first. Ids, times and numbers are not cut.
    private func fitted(_ shown: [[String]], to width: Int?) -> [Int] {
        var widths = shown.map { texts in texts.reduce(0) { max($0, DisplayWidth.cells($1)) } }
        guard let width else { return widths }
        let titles = shown.map { DisplayWidth.cells($0[0]) }
        var excess = widths.reduce(0, +) + Self.gap.count * max(0, columns.count - 1) - width
        func shrink(_ candidates: [Int], to floor: (Int) -> Int) {
            while excess > 0,
                let widest = candidates.filter({ widths[$0] > floor($0) }).max(by: { widths[$0] < widths[$1] })
            {
                widths[widest] -= 1
                excess -= 1
            }
        }
        let flexible = columns.indices.filter { columns[$0].isFlexible }
        let texts = columns.indices.filter { !columns[$0].isWhole }
        shrink(flexible) { max(24, titles[$0]) }
        shrink(texts.filter { !columns[$0].isFlexible }) { max(8, titles[$0]) }
        shrink(flexible) { max(8, titles[$0]) }
        shrink(texts) { _ in 1 }
        return widths
    }

    private static let gap = "  "
    private static let narrowWidth = 72
}
