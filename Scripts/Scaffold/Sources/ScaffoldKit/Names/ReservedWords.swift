/// Words that no compiler refuses in time, because they stand in strings, or whose refusal would be a riddle.
enum ReservedWords {
    static let swift = words(
        """
        any as associatedtype await break case catch class continue default defer deinit do else enum extension
        fallthrough false fileprivate for func guard if import in init inout internal is let nil operator
        precedencegroup private protocol public repeat rethrows return self some static struct subscript super switch
        throw throws true try typealias var where while
        """)

    /// Modules of the toolchain and the system.
    static let modules = words(
        """
        Builtin Cxx Darwin Dispatch Distributed Foundation FoundationEssentials FoundationInternationalization
        FoundationNetworking FoundationXML Glibc Musl Observation PackageDescription RegexBuilder Swift Synchronization
        Testing XCTest
        """)

    /// Types that the sources of a feature name: those of its fields, and those of every entity.
    static let types = words(
        """
        Any Bool Date Double Entity EntityContract EntityField EntityUseCases FieldChoice Int Ownership Self Stored String URL
        UUID Void
        """)

    /// Reserved in SQLite or PostgreSQL, and the columns that every table has there.
    static let sql = words(
        """
        add all alter analyse analyze and any array as asc asymmetric authorization autoincrement between binary both
        case cast check cmax cmin collate collation column commit concurrently constraint create cross ctid current_catalog
        current_date current_role current_schema current_time current_timestamp current_user default deferrable delete desc distinct do drop else end escape except exists
        false fetch for foreign freeze from full grant group having ilike in index indexed initially inner insert
        intersect into is isnull join lateral leading left like limit localtime localtimestamp natural not nothing notnull
        null offset on only or order outer overlaps placing primary raise references returning right rowid select
        session_user set similar some symmetric system_user table tableoid tablesample then to trailing transaction true union unique update user using
        values variadic verbose when where window with xmax xmin
        """)

    /// Commands, and first parts of paths, that every service has.
    static let commands = words(
        """
        help login logout whoami sessions users host-tokens sync outbox conflicts request fetch cache cache-proxy status
        doctor me oauth health metrics password password-resets
        """)

    /// Those of `Stored`, of its table and of `Entity`.
    static let fields = words(
        """
        id version createdAt updatedAt author authorId content entityTag syncState hash hashValue noun collection fields
        path plural
        """)

    /// Options of the commands of every entity.
    static let options = words(
        "server profile json color verbose timeout offline refresh help version limit cursor search sort q clear follow "
            + "format output columns"
    )

    /// Static members of every choice.
    static let choices = words(
        """
        allCases rawValue hashValue fieldChoices fieldKind fieldSample fieldSchema fieldText fieldValue parameterKind
        """)

    private static func words(_ text: String) -> Set<String> {
        Set(text.split(whereSeparator: \.isWhitespace).map(String.init))
    }
}
