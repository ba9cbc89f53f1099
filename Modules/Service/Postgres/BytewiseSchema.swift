/// Migrations for PostgreSQL: their texts compare by bytes, as in SQLite and in Swift.
enum BytewiseSchema {
    /// `statement` with the collation `C` for each column of type `TEXT` that it creates.
    static func statement(_ statement: String) -> String {
        guard statement.hasPrefix("CREATE TABLE") || statement.hasPrefix("ALTER TABLE") else { return statement }
        let words = statement.split(separator: " ", omittingEmptySubsequences: false)
        var changed = words.map(String.init)
        for place in words.indices.dropFirst() where words[place - 1] != "AS" {
            guard words[place].prefix(while: { $0.isLetter || $0 == "_" }) == "TEXT" else { continue }
            changed[place] = "TEXT COLLATE \"C\"" + words[place].dropFirst(4)
        }
        return changed.joined(separator: " ")
    }
}
