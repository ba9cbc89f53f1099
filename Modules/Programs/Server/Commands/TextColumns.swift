/// Rows of text in columns.
enum TextColumns {
    /// A line for each row. Its cells are two spaces apart; each but the last is as wide as its column.
    ///
    /// - Parameter minimumWidths: Of the first columns.
    static func lines(_ rows: [[String]], minimumWidths: [Int] = []) -> [String] {
        var widths = minimumWidths
        for row in rows {
            for (column, cell) in row.enumerated() {
                if column == widths.count { widths.append(0) }
                widths[column] = max(widths[column], cell.count)
            }
        }
        return rows.map { row in
            row.enumerated().map { column, cell in
                column == row.count - 1 ? cell : cell + String(repeating: " ", count: widths[column] - cell.count)
            }.joined(separator: "  ")
        }
    }
}
