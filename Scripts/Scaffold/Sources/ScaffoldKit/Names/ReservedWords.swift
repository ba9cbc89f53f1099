/// Words that have a meaning already where a name of ours would stand; `NameRules` says no to them.
enum ReservedWords {
    /// Keywords of Swift, and names inside every type; as a variable they would need back-ticks.
    static let swift = words(
        """
        any as associatedtype await break case catch class continue default defer deinit do else enum extension
        fallthrough false fileprivate for func guard if import in init inout internal is let nil operator
        precedencegroup private protocol public repeat rethrows return self some static struct subscript super switch
        throw throws true try typealias var where while
        """)

    /// Types that the compiler knows by name, whatever is imported.
    static let types = words("Any Self Type Protocol Class Never Void AnyObject AnyClass")

    /// Reserved in SQLite or PostgreSQL, so that a table or column of that name needs quotes everywhere.
    static let sql = words(
        """
        add all alter analyse analyze and any array as asc asymmetric authorization autoincrement between binary both
        case cast check collate column commit concurrently constraint create cross current_date current_time
        current_timestamp current_user default deferrable delete desc distinct do drop else end escape except exists
        false fetch for foreign freeze from full grant group having ilike in index indexed initially inner insert
        intersect into is isnull join lateral leading left like limit localtime localtimestamp natural not notnull null
        offset on only or order outer overlaps placing primary references returning right rowid select session_user set
        similar some symmetric table tablesample then to trailing transaction true union unique update user using
        values variadic verbose when where window with
        """)

    /// First parts of addresses that the service keeps for itself.
    static let routes = words("admin health ready live metrics openapi auth api static sync well-known v1")

    /// Commands that every command line has.
    static let commands = words("help version completion completions")

    /// Fields that every item has, that would hide what a type has by itself, or that the exemplar's code uses.
    static let fields = words(
        """
        id version createdAt updatedAt deletedAt hash hashValue description debugDescription encode decode type self
        init row rowid entity entityTag etag cursor content syncState noun collection fields table migration validate
        validated wireFields flaws least sample other added edited clear clearing options console configuration run
        """)

    /// Choices that every choice has by itself, or an optional one.
    static let choices = words("none some allCases rawValue hashValue fieldKind parameterKind")

    /// Options that every command has.
    static let options = words("server profile json color verbose timeout offline refresh help version")

    private static func words(_ text: String) -> Set<String> {
        Set(text.split(whereSeparator: \.isWhitespace).map(String.init))
    }
}
