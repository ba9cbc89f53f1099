import CLibPQ

/// The location of a PostgreSQL database, written as a URI of libpq: `postgres://user@host:5432/name?sslmode=verify-full`
/// (PostgreSQL documentation, section 34.1.1.2). What it leaves out comes from the variables of libpq, such as `PGHOST` and
/// `PGPASSFILE`.
public struct PostgresLocation: Sendable, Hashable, CustomStringConvertible {
    /// As written; it may contain a password.
    let uri: String
    /// Without password and parameters: `postgres://user@host:5432/name`.
    public let description: String

    /// Parses `postgres://…` or `postgresql://…`; `nil` for another scheme.
    ///
    /// - Throws: `Malformed` for what libpq does not accept.
    public init?(_ text: String) throws(Malformed) {
        guard ["postgres://", "postgresql://"].contains(where: text.hasPrefix) else { return nil }
        guard !text.utf8.contains(0), let values = Self.values(of: text) else { throw Malformed() }
        uri = text
        let user = values["user"].map { "\($0)@" } ?? ""
        let port = values["port"].map { ":\($0)" } ?? ""
        description = "postgres://\(user)\(values["host"] ?? "")\(port)/\(values["dbname"] ?? "")"
    }

    private static func values(of text: String) -> [String: String]? {
        var message: UnsafeMutablePointer<CChar>?
        guard let options = PQconninfoParse(text, &message) else {
            // The message of libpq may repeat the URI with its password.
            PQfreemem(message)
            return nil
        }
        defer { PQconninfoFree(options) }
        var values: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        return values
    }

    /// Text with the scheme of PostgreSQL that is not a location. It is not repeated, because it may contain a password.
    public struct Malformed: Error, Sendable, Hashable, CustomStringConvertible {
        public var description: String {
            "The address of the PostgreSQL database is malformed; write postgres://USER@HOST:PORT/NAME, with special "
                + "characters percent-encoded."
        }
    }
}
