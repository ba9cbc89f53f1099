/// The name of the running program. Commands that several programs share use it in their messages.
public enum ProgramName {
    /// The last part of the first argument, such as `tides`.
    public static let current = plain(CommandLine.arguments.first ?? "")

    /// The environment variable of a setting: `TIDES_SERVER` for `SERVER`.
    public static func variable(_ setting: String, of program: String = current) -> String {
        program.map { $0.isLetter || $0.isNumber ? $0.uppercased() : "_" }.joined() + "_" + setting
    }

    /// The last part of `path`, without all characters but letters, digits, '.', '_' and '-'; `program` if none is left.
    static func plain(_ path: String) -> String {
        let kept = path.utf8.split(separator: UInt8(ascii: "/")).last?.filter(isPlain) ?? []
        return kept.isEmpty ? "program" : String(decoding: kept, as: UTF8.self)
    }

    /// Whether `text` has only letters and digits of ASCII, '.', '_' and '-'.
    public static func isPlain(_ text: String) -> Bool { text.utf8.allSatisfy(isPlain) }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
    }
}
