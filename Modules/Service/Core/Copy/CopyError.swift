/// Why a database cannot be copied.
public enum CopyError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Other programs use the database.
    case inUse(String, by: [String])
    /// The source has other migrations than this program.
    case otherSchema(String)
    /// The target has tables, and no copy has begun there.
    case notEmpty(String)
    /// A copy of another database has begun in the target.
    case otherSource(String)
    /// The source was written since the copy began.
    case sourceChanged(String)
    /// Another copy into the target runs.
    case otherCopy(String)
    /// The tables of both sides differ after their migrations.
    case otherTable(String)
    /// A table without a primary key has no order of rows.
    case withoutKey(String)
    /// Foreign keys form a circle.
    case unorderable(String)
    /// The rows of a table differ on both sides after the copy.
    case different(String)
    /// A content differs from its digest after the copy.
    case differentContent(String)

    public var description: String {
        switch self {
        case .inUse(let database, let programs):
            "The database '\(database)' is in use by \(Self.list(programs)); stop it, then copy again."
        case .otherSchema(let database):
            "The database '\(database)' does not have the schema of this program; migrate it with this program first."
        case .notEmpty(let database):
            "The database '\(database)' is not empty, and no copy has begun there; name a new database."
        case .otherSource(let database):
            "'\(database)' holds the beginning of a copy of another database; name a new database."
        case .sourceChanged(let database):
            "The database '\(database)' was written since the copy began; stop every server that uses it, and copy it into a "
                + "new database."
        case .otherCopy(let database):
            "Another copy into '\(database)' runs; wait until it ends, then copy again."
        case .otherTable(let table):
            "The table '\(table)' has other columns in the two databases, or is missing in one; a schema was edited by hand."
        case .withoutKey(let table):
            "The table '\(table)' has no primary key of numbers or texts, so its rows have no order; a migration must add one."
        case .unorderable(let table):
            "The foreign keys of the table '\(table)' form a circle, so its rows cannot be copied in an order that keeps them."
        case .different(let table):
            "The table '\(table)' differs in the two databases: the source was written during the copy, or the target was. Stop "
                + "every server that uses them, and copy into a new database."
        case .differentContent(let id):
            "The content '\(id)' changed while it was copied; copy again."
        }
    }

    /// `'a' (2 connections) and 'b'`, from one name for each connection.
    private static func list(_ programs: [String]) -> String {
        let counts = programs.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        return counts.keys.sorted().map { name in
            let count = counts[name] ?? 1
            return "'\(name)'" + (count > 1 ? " (\(count) connections)" : "")
        }.joined(separator: " and ")
    }
}
