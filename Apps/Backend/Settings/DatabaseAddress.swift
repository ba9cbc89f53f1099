import StrataSQLite

/// The address of the database.
enum DatabaseAddress {
    /// - Throws: `SettingsError` for anything but `sqlite:PATH`.
    static func location(_ text: String) throws(SettingsError) -> SQLiteLocation {
        if text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") {
            // The address may hold a password, so it is not repeated.
            throw SettingsError(
                "The server does not run on PostgreSQL yet; use sqlite:PATH.")
        }
        do {
            if let location = try SQLiteLocation(text) { return location }
        } catch {
            throw SettingsError("\(Setting.database.title): \(error.description)")
        }
        throw SettingsError(
            "\(Setting.database.title) is '\(text.prefix(100))'; write sqlite:PATH, for instance sqlite:/var/lib/shiftlog/data.db."
        )
    }

    /// The embedded database of this user (XDG Base Directory Specification; relative directories do not count).
    static func standard(_ environment: [String: String]) -> SQLiteLocation {
        func directory(_ name: String) -> String? { environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil } }
        if let home = environment["SHIFTLOG_HOME"] { return SQLiteLocation(path: "\(home)/server.sqlite") }
        if let data = directory("XDG_DATA_HOME") { return SQLiteLocation(path: "\(data)/shiftlog/server.sqlite") }
        if let home = directory("HOME") { return SQLiteLocation(path: "\(home)/.local/share/shiftlog/server.sqlite") }
        return SQLiteLocation(path: "shiftlog.sqlite")
    }
}
