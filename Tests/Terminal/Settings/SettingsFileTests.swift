import FoundationEssentials
import StrataTerminal
import StrataTesting
import Testing

struct SettingsFileTests {
    private let directory: TemporaryDirectory
    init() throws { directory = try TemporaryDirectory() }

    private var paths: ProgramPaths {
        get throws { try ProgramPaths(program: "tides", environment: ["TIDES_HOME": directory.path]) }
    }

    /// - Parameter content: The content of `config.json`; `nil` for no file.
    private func read(_ content: String?) throws -> SettingsFile {
        try FileManager.default.createDirectory(atPath: directory.file("config"), withIntermediateDirectories: true)
        if let content { try directory.write("config/config.json", Data(content.utf8)) }
        return try SettingsFile(in: paths, names: ["server", "profile"], perProfile: ["server"])
    }

    @Test func `settings are read by name, and by profile`() throws {
        let file = try read(#"{"server": "a", "profiles": {"ops": {"server": "b"}, "dev": {}}}"#)
        #expect(file["server"] == "a" && file["profile"] == nil)
        #expect(file["server", profile: "ops"] == "b" && file["server", profile: "dev"] == nil)
    }

    @Test func `without a file there are no settings`() throws {
        #expect(try read(nil)["server"] == nil)
    }

    @Test(arguments: [
        (
            #"{"servr": "x"}"#,
            "has 'servr', which is no setting. Did you mean 'server'? There are server, profile, profiles."
        ),
        (#"{"color": "x"}"#, "has 'color', which is no setting. There are server, profile, profiles."),
        (#"{"server": 5}"#, "has no text for 'server'"), (#"{"server": null}"#, "has no text for 'server'"),
        (#"{"profile": ["a"]}"#, "has no text for 'profile'"), (#"{"profiles": []}"#, "has no object for 'profiles'"),
        (#"{"profiles": {"ops": "x"}}"#, "has no object for 'profiles.ops'"),
        (
            #"{"profiles": {"ops": {"servr": "x"}}}"#,
            "has 'profiles.ops.servr', which is no setting. Did you mean 'server'? There are server."
        ),
        (#"{"profiles": {"ops": {"server": null}}}"#, "has no text for 'profiles.ops.server'"),
        ("null", "is no JSON object"), ("server = x", "is no JSON object"), ("[1", "is no JSON object"),
        (String(repeating: " ", count: 70_000), "cannot be read: Larger than 65536 bytes"),
    ])
    func `a mistake is a usage error that names the file, the value and what is known`(content: String, text: String)
        throws
    {
        let failure = #expect(throws: CommandFailure.self) { try read(content) }
        #expect(failure?.status == .usage)
        let message = failure?.message ?? ""
        #expect(message.contains("'\(directory.path)/config/config.json' \(text)"), "\(message)")
    }

    @Test func `a directory in place of the file is a usage error`() throws {
        try FileManager.default.createDirectory(
            atPath: directory.file("config/config.json"), withIntermediateDirectories: true)
        let failure = #expect(throws: CommandFailure.self) { try read(nil) }
        #expect(failure?.status == .usage && failure?.message?.contains("Not a regular file") == true)
    }

    @Test func `a home that is a file is named in place of the settings file`() throws {
        let home = try directory.write("home", Data())
        let paths = try ProgramPaths(program: "tides", environment: ["TIDES_HOME": home])
        let failure = #expect(throws: CommandFailure.self) { try SettingsFile(in: paths, names: [], perProfile: []) }
        #expect(failure?.status == .cannotWrite)
        #expect(
            failure?.message
                == "The home '\(home)' cannot be used: it is no directory. Set TIDES_HOME to a directory of yours, or leave it "
                + "out.")
    }

    @Test(arguments: [
        (["TIDES_HOME": "/t"], "/t/config", "/t/state"), (["HOME": "/h"], "/h/.config/tides", "/h/.local/state/tides"),
        (["HOME": "/h", "XDG_CONFIG_HOME": "/x", "XDG_STATE_HOME": "rel"], "/x/tides", "/h/.local/state/tides"),
        (["HOME": "/h", "TIDES_HOME": ""], "/h/.config/tides", "/h/.local/state/tides"),
    ])
    func `files are below the home of the program, or below the XDG base directories`(
        environment: [String: String], config: String, state: String
    ) throws {
        let paths = try ProgramPaths(program: "tides", environment: environment)
        #expect((paths.config, paths.state) == (config, state))
    }

    @Test(arguments: [[:], ["HOME": "relative"]])
    func `without a home directory the error names the variables`(environment: [String: String]) {
        let failure = #expect(throws: CommandFailure.self) {
            try ProgramPaths(program: "order-tracking", environment: environment)
        }
        #expect(failure?.message?.contains("ORDER_TRACKING_HOME") == true)
    }

    @Test(arguments: ["", ".hidden", "a/b", "a b", "ü", String(repeating: "a", count: 65)])
    func `a profile that cannot name a file is a usage error`(name: String) {
        #expect(throws: CommandFailure.self) { try ProfileName.checked(name) }
    }

    @Test func `a profile of letters, digits and marks is accepted`() throws {
        #expect(try ProfileName.checked("Ops-2.a_b") == "Ops-2.a_b")
    }
}
