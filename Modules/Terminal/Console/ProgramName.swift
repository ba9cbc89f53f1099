/// The name of the running program. Commands that several programs share use it in their messages.
public enum ProgramName {
    /// The last part of the first argument, such as `tides`.
    public static let current = plain(CommandLine.arguments.first ?? "")

    /// The environment variable of a setting: `TIDES_SERVER` for `SERVER`.
    public static func variable(_ setting: String) -> String {
        current.map { $0.isLetter || $0.isNumber ? $0.uppercased() : "_" }.joined() + "_" + setting
    }

    /// - Returns: `program` for a path whose last part has none but other characters than letters, digits, '.', '_' and '-'.
    static func plain(_ path: String) -> String {
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        let kept = name.unicodeScalars.filter {
            (0x30...0x39).contains($0.value) || (0x41...0x5A).contains($0.value) || (0x61...0x7A).contains($0.value)
                || [0x2D, 0x2E, 0x5F].contains($0.value)
        }
        return kept.isEmpty ? "program" : String(String.UnicodeScalarView(kept))
    }
}
