import ArgumentParser
import FoundationEssentials
import StrataDomain
import StrataTesting
import Testing

@testable import StrataTerminal

@Suite struct `The settings file from the command line` {
    private let directory: TemporaryDirectory
    init() throws { directory = try TemporaryDirectory() }

    private func file() throws -> SettingsFile {
        let paths = try ProgramPaths(program: "tides", environment: ["TIDES_HOME": directory.path])
        return try SettingsFile(in: paths, names: ["server", "profile"], perProfile: ["server"])
    }

    private func write(_ content: String) throws {
        try FileManager.default.createDirectory(atPath: directory.file("config"), withIntermediateDirectories: true)
        try directory.write("config/config.json", Data(content.utf8))
    }

    private func content() throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: directory.file("config/config.json"))), as: UTF8.self)
    }

    private func tools() throws -> ConfigTools {
        ConfigTools(try file(), meanings: ["server": "Its address."]) { name, value in
            if name == "server", value.isEmpty { throw CommandFailure(.usage, "The address is empty.") }
        }
    }

    @Test func `a first setting makes the file, and further ones are added`() throws {
        try file().set("server", to: "a")
        #expect(try content() == "{\n  \"server\": \"a\"\n}\n")
        try file().set("profile", to: "ops")
        try file().set("profiles.ops.server", to: "b\"\\")
        try file().set("server", to: "c")
        let file = try file()
        #expect(file["server"] == "c" && file["profile"] == "ops" && file["server", profile: "ops"] == "b\"\\")
    }

    @Test(arguments: [
        ("{}", "server", "{\n  \"server\": \"x\"\n}"),
        (#"{"server": "a"}"#, "server", #"{"server": "x"}"#),
        (#"{"server": "a"}"#, "profile", "{\"server\": \"a\",\n  \"profile\": \"x\"\n}"),
        (
            "// top\n{\n  \"server\": \"http://a\" // why, {\n  /* \"profile\": \"no\" */\n}\n", "profile",
            "// top\n{\n  \"server\": \"http://a\", // why, {\n  /* \"profile\": \"no\" */\n  \"profile\": \"x\"\n}\n"
        ),
        (
            "{\n  \"profiles\": {\n    \"ops\": {} // mine\n  }\n}", "profiles.ops.server",
            "{\n  \"profiles\": {\n    \"ops\": {\n      \"server\": \"x\"\n    } // mine\n  }\n}"
        ),
        (#"{"a//b": 1}"#, "", ""),
    ])
    func `all but the setting stays as it is`(before: String, name: String, after: String) throws {
        guard !name.isEmpty else {
            #expect(CommentedJSON(before.utf8).withoutComments == Array(before.utf8))
            return
        }
        try write(before)
        try file().set(name, to: "x")
        #expect(try content() == after)
        #expect(try file().all[name] == "x")
    }

    @Test(arguments: [
        ("servr", "Did you mean 'server'?"), ("profiles.ops.servr", "profiles.NAME.server"), ("", "There are"),
    ])
    func `an unknown setting is refused with the nearest, and the file stays`(name: String, text: String) async throws {
        try write("{}")
        let (console, _, _) = Console.inMemory()
        let command = try ConfigSetCommand.parse([name, "x"])
        let tools = try tools()
        let failure = await #expect(throws: CommandFailure.self) { try await command.run(tools, console) }
        #expect(failure?.status == .usage && failure?.message?.contains(text) == true, "\(failure?.message ?? "")")
        #expect(try content() == "{}")
    }

    @Test func `a value that the program would refuse is not written`() async throws {
        try write("{}")
        let (console, _, _) = Console.inMemory()
        let tools = try tools()
        await #expect(throws: CommandFailure.self) {
            try await ConfigSetCommand.parse(["server", ""]).run(tools, console)
        }
        #expect(try content() == "{}")
    }

    @Test func `a setting is printed, and one that is not there is said to be missing`() async throws {
        try write("{ // mine\n\"server\": \"a\" }")
        let (console, output, _) = Console.inMemory()
        try await ConfigGetCommand.parse(["server"]).run(tools(), console)
        #expect(output.text == "a\n")
        let tools = try tools()
        let failure = await #expect(throws: CommandFailure.self) {
            try await ConfigGetCommand.parse(["profile"]).run(tools, console)
        }
        #expect(failure?.status == .notFound)
        try await ConfigListCommand.parse([]).run(tools, console)
        #expect(output.lines.contains { $0.hasPrefix("server") && $0.contains("Its address.") })
    }
}
