/// The location of an embedded database, written `sqlite:PATH`.
public struct SQLiteLocation: Sendable, Hashable, CustomStringConvertible {
    /// A file path; a relative one starts at the working directory.
    public let path: String

    /// The database at `path`.
    public init(path: String) { self.path = path }

    /// Parses `sqlite:PATH` or `sqlite:///PATH`; `nil` for another scheme.
    ///
    /// - Throws: `Malformed` for a path that is empty, holds NUL, names a database in memory, or begins with `file:`, which
    ///   SQLite parses as a URI.
    public init?(_ text: String) throws(Malformed) {
        guard text.hasPrefix("sqlite:") else { return nil }
        var path = text.dropFirst("sqlite:".count)
        if path.hasPrefix("//") {
            path = path.dropFirst(2)
            guard path.hasPrefix("/") else { throw Malformed(text: text) }
        }
        guard !path.isEmpty, path != ":memory:", !path.hasPrefix("file:"), !path.hasSuffix("/"), !path.utf8.contains(0)
        else {
            throw Malformed(text: text)
        }
        self.path = String(path)
    }

    public var description: String { "sqlite:\(path)" }

    /// Text with the scheme `sqlite` that is not a location.
    public struct Malformed: Error, Sendable, Hashable, CustomStringConvertible {
        /// The text that is no location.
        public let text: String
        public var description: String {
            "'\(text)' names no database file; write sqlite:PATH, for instance sqlite:/var/lib/service/data.db."
        }
    }
}
