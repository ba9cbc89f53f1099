import StrataSQLite

#if POSTGRES
    import StrataPostgres
#endif

/// The address of the database.
enum DatabaseAddress: Sendable, Hashable, CustomStringConvertible {
    case sqlite(SQLiteLocation)
    #if POSTGRES
        case postgres(PostgresLocation)
    #endif

    /// - Throws: `SettingsError` for anything but `sqlite:PATH` and `postgres://…`. An address with a password is not repeated.
    init(_ text: String) throws(SettingsError) {
        do {
            if let location = try SQLiteLocation(text) {
                self = .sqlite(location)
                return
            }
            #if POSTGRES
                if let location = try PostgresLocation(text) {
                    self = .postgres(location)
                    return
                }
            #endif
        } catch {
            throw SettingsError("\(Setting.database.title): \(error)")
        }
        guard !["postgres://", "postgresql://"].contains(where: text.hasPrefix) else {
            throw SettingsError(
                "This program was built without PostgreSQL; use sqlite:PATH, or install libpq-dev and build it again.")
        }
        throw SettingsError(
            "\(Setting.database.title) is '\(text.prefix(100))'; write sqlite:PATH, for instance "
                + "sqlite:/var/lib/\(ServerProgram.current.client)/data.db, or postgres://USER@HOST/NAME.")
    }

    /// The embedded database of this user (XDG Base Directory Specification; relative directories do not count).
    static func standard(_ environment: [String: String]) -> Self {
        func directory(_ name: String) -> String? { environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil } }
        let program = ServerProgram.current
        let path =
            environment[program.variable("HOME")].map { "\($0)/server.sqlite" }
            ?? directory("XDG_DATA_HOME").map { "\($0)/\(program.client)/server.sqlite" }
            ?? directory("HOME").map { "\($0)/.local/share/\(program.client)/server.sqlite" }
            ?? "\(program.client).sqlite"
        return .sqlite(SQLiteLocation(path: path))
    }

    /// The path of an embedded database.
    var file: String? {
        switch self {
        case .sqlite(let location): location.path
        #if POSTGRES
            case .postgres: nil
        #endif
        }
    }

    /// Without a password.
    var description: String {
        switch self {
        case .sqlite(let location): location.description
        #if POSTGRES
            case .postgres(let location): location.description
        #endif
        }
    }
}
