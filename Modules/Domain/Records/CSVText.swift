/// Records as CSV (RFC 4180): UTF-8 without a byte order mark, lines that end with CRLF.
///
/// Values are written as they are. A spreadsheet may take one that begins with `=`, `+`, `-` or `@` for a formula: open a file of texts
/// of others with its import, columns as text.
package enum CSVText {
    /// - Parameter cells: `nil` for no value, an empty cell; an empty text is in quotes.
    package static func record(_ cells: [String?]) -> String {
        cells.map { $0.map(cell) ?? "" }.joined(separator: ",") + "\r\n"
    }

    /// Bytes that stand in quotes only.
    private static let special = Set("\",\r\n".utf8)

    private static func cell(_ text: String) -> String {
        guard text.isEmpty || text.utf8.contains(where: special.contains) else { return text }
        // By scalars: a combining mark after a quote makes another character of it.
        var quoted = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" { quoted.unicodeScalars.append("\"") }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }
}
