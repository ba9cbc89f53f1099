/// A setting of the server: a flag wins over the environment variable, the variable over the settings file, the file over the default.
///
/// The settings of a feature are an extension of `Setting`, and rows in the list of `ServerProgram`:
///
/// ```swift
/// extension Setting {
///     static let tideSeconds = Setting("tide.seconds", "600; how long levels are shown", in: 1...86_400)
/// }
/// ```
public struct Setting: Sendable, Hashable {
    /// What a value must be.
    enum Form: Sendable, Hashable {
        case text
        case number(ClosedRange<Int>)
        case word([String])
    }

    /// Its name in the settings file.
    public let name: String
    /// Its default and a description, for the help.
    let summary: String
    /// Whether the value may not be shown.
    let isSecret: Bool
    /// Its option of `serve`, without `--`.
    let flag: String?
    let form: Form

    /// Any text.
    ///
    /// - Parameters:
    ///   - name: Small letters, digits and `_`, with at most one `.`: `tide.seconds` is the variable `TIDES_TIDE_SECONDS`, and in the
    ///     file `seconds` of the object `tide`.
    ///   - summary: The default, then `;` and a description: `600; how long levels are shown`.
    ///   - isSecret: Whether the value is left out of the page of administration. Default: `false`.
    ///   - flag: An option of `serve`, such as `tide-seconds`. Default: none.
    public init(_ name: String, _ summary: String, isSecret: Bool = false, flag: String? = nil) {
        self.init(name, summary, .text, isSecret: isSecret, flag: flag)
    }

    /// A number in `range`. Another value ends each command with status 64.
    public init(_ name: String, _ summary: String, in range: ClosedRange<Int>, flag: String? = nil) {
        self.init(name, summary, .number(range), flag: flag)
    }

    /// One of `words`, which have small letters. Another value ends each command with status 64.
    public init(_ name: String, _ summary: String, oneOf words: [String], flag: String? = nil) {
        self.init(name, summary, .word(words), flag: flag)
    }

    private init(_ name: String, _ summary: String, _ form: Form, isSecret: Bool = false, flag: String?) {
        (self.name, self.summary, self.form, self.isSecret, self.flag) = (name, summary, form, isSecret, flag)
    }

    /// Its environment variable.
    var variable: String {
        ServerProgram.current.variable(name.map { $0 == "." ? "_" : $0.uppercased() }.joined())
    }

    /// What an error calls it: `tide.seconds (--tide-seconds, TIDES_TIDE_SECONDS)`.
    public var title: String { "\(name) (\(flag.map { "--\($0), " } ?? "")\(variable))" }
}
