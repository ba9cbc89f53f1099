import StrataSystem

/// The name of a profile, which names files.
public enum ProfileName {
    /// - Throws: A usage error unless `name` is 1 to 64 letters, digits, `.`, `_` or `-`, without a dot at the start.
    public static func checked(_ name: String) throws(CommandFailure) -> String {
        guard (1...64).contains(name.utf8.count), ProgramName.isPlain(name), !name.hasPrefix(".") else {
            throw CommandFailure(
                .usage, "Profile '\(name)' must be 1 to 64 letters, digits, '.', '_' or '-', and not begin with a dot.")
        }
        return name
    }
}
