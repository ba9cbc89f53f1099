import StrataHTTP

/// A table of escaped cells, with a limit in bytes.
struct HTMLTable {
    private let title: String
    private let columns: [String]
    private let limit: Int
    private var rows: [String] = []
    private var bytes = 0
    private var isFull = false

    /// - Parameters:
    ///   - title: Empty for a table without one.
    ///   - limit: Bytes of the rows; rows after the first that does not fit are left out.
    init(_ title: String, _ columns: [String], bytes limit: Int) {
        self.title = title
        self.columns = columns
        self.limit = limit
    }

    /// - Parameters:
    ///   - style: The class of the row.
    ///   - anchor: The part of the page that the first cell leads to.
    mutating func add(_ cells: [String], style: String? = nil, anchor: String? = nil) {
        if isFull { return }
        var row = style.map { "<tr class=\"\(HTMLText.escaped($0))\">" } ?? "<tr>"
        for (index, cell) in cells.enumerated() {
            let text = HTMLText.escaped(cell)
            let link = index == 0 ? anchor.map { "<a href=\"#\(HTMLText.escaped($0))\">\(text)</a>" } : nil
            row += "<td>\(link ?? text)</td>"
        }
        row += "</tr>\n"
        isFull = bytes + row.utf8.count > limit
        if isFull { return }
        bytes += row.utf8.count
        rows.append(row)
    }

    mutating func reverse() { rows.reverse() }

    /// The table with its title; empty without rows to show.
    ///
    /// - Parameters:
    ///   - total: How many rows there would be without the limit.
    ///   - more: The command that lists all of them.
    func html(of total: Int, more: String? = nil) -> String {
        if total == 0 { return "" }
        let heading = title.isEmpty ? "" : "<h2>\(HTMLText.escaped(title))</h2>\n"
        let head = columns.map { "<th scope=\"col\">\(HTMLText.escaped($0))</th>" }.joined()
        let command = more.map { " <code>\(HTMLText.escaped($0))</code> lists all." } ?? ""
        let note =
            rows.count < total ? "<p class=\"note\">\(rows.count) of \(total) are shown here.\(command)</p>\n" : ""
        return """
            \(heading)\(note)<div class="wide" tabindex="0"><table>
            <thead><tr>\(head)</tr></thead>
            <tbody>
            \(rows.joined())</tbody></table></div>

            """
    }
}
