import FoundationEssentials
import StrataDomain
import StrataSystem

/// The program `secret-tool` of libsecret, which talks to the keyring of the session: GNOME Keyring, KWallet, KeePassXC.
///
/// A secret passes through standard input only: other processes of the user can read arguments and environment.
struct SecretTool: Sendable {
    /// The attributes that name an item.
    struct Item: Sendable, Hashable {
        var service: String
        var account: String
        var attributes: [String] { ["service", service, "account", account] }
    }

    /// `secret-tool` reads no more and cuts off the rest with exit status 0 (libsecret 0.20).
    static let sizeLimit = 8191

    private let program: Program
    private let limit: Duration
    private let advice: String

    /// - Parameters:
    ///   - environment: Where the program and the session bus are looked for.
    ///   - limit: How long one call may take, a person typing the keyring's password included.
    ///   - advice: The next step when the keyring cannot be used, as the end of a sentence.
    /// - Throws: When there is no program or no session bus. The keyring is not asked.
    init(environment: [String: String], limit: Duration, advice: String) throws(TokenStoreError) {
        guard let path = Self.path(in: environment["PATH"] ?? "") else {
            throw TokenStoreError(
                "The program 'secret-tool' is not on PATH; install libsecret's tools (package libsecret-tools or "
                    + "libsecret), or \(advice).")
        }
        guard Self.hasSessionBus(environment) else {
            throw TokenStoreError(
                "There is no D-Bus session to reach the keyring through (DBUS_SESSION_BUS_ADDRESS is not set); run "
                    + "this in a desktop session or under 'dbus-run-session', or \(advice).")
        }
        // A part of the environment, without secrets of this process.
        program = Program(
            path: path,
            environment: environment.filter { Self.passed.contains($0.key) }.merging(["LC_ALL": "C"]) { $1 })
        self.limit = limit
        self.advice = advice
    }

    /// - Returns: `nil` when there is no such item.
    func lookup(_ item: Item) async throws(TokenStoreError) -> Data? {
        let answer = try await run("lookup", item.attributes)
        if answer.status == 0 { return answer.standardOutput }
        try check(answer, "lookup", mayBeEmpty: true)
        // A locked item is not found either; neither case has a message.
        try await checkAbsence(of: item)
        return nil
    }

    func store(_ secret: Data, as item: Item, label: String) async throws(TokenStoreError) {
        guard secret.count <= Self.sizeLimit else {
            throw TokenStoreError(
                "The tokens take \(secret.count) bytes and 'secret-tool' keeps \(Self.sizeLimit) at most; \(advice).")
        }
        try check(try await run("store", ["--label=\(label)"] + item.attributes, input: secret), "store")
    }

    func clear(_ item: Item) async throws(TokenStoreError) {
        try check(try await run("clear", item.attributes), "clear", mayBeEmpty: true)
        try await checkAbsence(of: item)
    }

    /// - Throws: When an item that was not found exists: the keyring is locked.
    private func checkAbsence(of item: Item) async throws(TokenStoreError) {
        let answer = try await run("search", item.attributes)
        if answer.standardOutput.isEmpty { return try check(answer, "search", mayBeEmpty: true) }
        throw TokenStoreError("The keyring is locked; unlock it and try again, or \(advice).")
    }

    /// In a task of its own: a cancelled caller does not end a write half done.
    private func run(
        _ verb: String, _ arguments: [String], input: Data = Data()
    ) async throws(TokenStoreError) -> Program.Output {
        let result = await Task { [program, limit] () -> Result<Program.Output, Program.Failure> in
            do throws(Program.Failure) {
                return .success(try await program.run([verb] + arguments, input: input, within: limit))
            } catch {
                return .failure(error)
            }
        }.value
        do throws(Program.Failure) { return try result.get() } catch {
            let (reason, step) =
                switch error {
                case .notStarted(let reason): ("cannot be started: \(reason)", "Check the keyring")
                case .timedOut:
                    ("did not answer within \(limit) and was ended; is a password prompt open?", "Answer it")
                case .outputLimitExceeded: ("answered with far more than tokens", "Check the keyring")
                case .cancelled: ("was ended", "Check the keyring")
                case .lost(let reason): ("ended without its result: \(reason)", "Check the keyring")
                }
            throw TokenStoreError(
                "'\(program.path) \(verb)' \(reason)\(reason.hasSuffix("?") ? "" : ".") \(step) and try again, or \(advice)."
            )
        }
    }

    /// - Parameter mayBeEmpty: Status 1 without a message means that there is no item.
    private func check(
        _ answer: Program.Output, _ verb: String, mayBeEmpty: Bool = false
    ) throws(TokenStoreError) {
        // With status 0 and a message it has cut off the secret.
        if answer.status == 0, answer.standardError.isEmpty || mayBeEmpty { return }
        if answer.status == 1, answer.standardError.isEmpty, mayBeEmpty { return }
        let text = Self.firstLine(of: answer.standardError)
        let said = text.isEmpty ? "ended with status \(answer.status)" : "says: \(text)"
        let step = text.contains("locked") ? "unlock the keyring" : "check the keyring"
        throw TokenStoreError("'\(program.path) \(verb)' \(said). To go on, \(step) and try again, or \(advice).")
    }

    /// For people: printable, short, and without the name of the program in front.
    private static func firstLine(of standardError: Data) -> String {
        let line = String(decoding: standardError, as: UTF8.self).split(whereSeparator: \.isNewline).first ?? ""
        let text = line.hasPrefix("secret-tool: ") ? line.dropFirst(13) : line
        let printable = text.unicodeScalars.filter { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
        return String(String.UnicodeScalarView(printable.prefix(200)))
    }

    private static let passed: Set = [
        "PATH", "HOME", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "XDG_DATA_HOME", "XDG_DATA_DIRS",
        "XDG_CURRENT_DESKTOP", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY",
    ]

    private static func path(in list: String) -> String? {
        // An empty or relative entry would run a program of the current directory.
        list.split(separator: ":").filter { $0.hasPrefix("/") }.map { "\($0)/secret-tool" }.first { path in
            (try? Stat(path: path, following: true))?.isRegular == true && access(path, X_OK) == 0
        }
    }

    private static func hasSessionBus(_ environment: [String: String]) -> Bool {
        if environment["DBUS_SESSION_BUS_ADDRESS"]?.isEmpty == false { return true }
        // systemd puts it there, and D-Bus clients look there without the variable.
        guard let directory = environment["XDG_RUNTIME_DIR"], directory.hasPrefix("/") else { return false }
        return access("\(directory)/bus", F_OK) == 0
    }
}
