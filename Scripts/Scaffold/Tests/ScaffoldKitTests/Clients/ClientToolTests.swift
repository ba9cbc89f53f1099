import Testing

@testable import ScaffoldKit

/// Adding and removing clients, from the outside.
struct ClientToolTests {
    private let files = MemoryFileSystem.sample()
    private var tool: ScaffoldTool { ScaffoldTool(files) }

    // MARK: Adding

    @Test func `a dry run tells what a run does, and does nothing`() throws {
        let before = files.snapshot

        let dry = try tool.addClient(.tides, isDry: true)
        #expect(dry.exitCode == .done)
        #expect(files.snapshot == before)

        let done = try tool.addClient(.tides, isDry: false)
        #expect(done.changes == dry.changes)
        #expect(
            done.changes.map(\.path) == [
                ".scaffold/clients/Tides.json", "Modules/Clients/Tides/README.md",
                "Modules/Clients/Tides/TidesClient.swift", "Package.swift",
                "Tests/Clients/Tides/TidesClientTests.swift",
            ])
        let manifest = try #require(files.files["Package.swift"]?.text)
        #expect(manifest.contains("scaffold:begin clients\n    Client(\"Tides\")\n    // scaffold:end clients"))
        #expect(done.next.contains { $0.contains("STRATA_TESTS=TidesTests swift test") })
    }

    @Test func `a second run changes nothing and says so`() throws {
        _ = try tool.addClient(.tides, isDry: false)
        files.edit("Modules/Clients/Tides/README.md", "mine")
        let before = files.snapshot
        var same = AddClient.Request.tides
        same.baseURL = "HTTPS://Tides.Example/v1/"
        for request in [.tides, same] {
            for isDry in [true, false] {
                let again = try tool.addClient(request, isDry: isDry)
                #expect(again.exitCode == .done && again.changes.isEmpty)
                #expect(again.message.contains("nothing was changed"))
            }
        }
        #expect(files.snapshot == before)
    }

    @Test func `the same name with other answers is refused, with the answers it has`() throws {
        _ = try tool.addClient(.tides, isDry: false)
        let before = files.snapshot
        var other = AddClient.Request.tides
        other.auth = .none
        let message = refusal { _ = try tool.addClient(other, isDry: false) }
        #expect(message.contains("--base-url https://tides.example/v1 --auth bearer"), "\(message)")
        #expect(message.contains("Scripts/remove-client Tides"), "\(message)")
        #expect(files.snapshot == before)
    }

    @Test func `the example is there where it is, as it is asked for`() throws {
        let request = AddClient.Request(name: "Weather", baseURL: "https://weather.example/api")
        #expect(try tool.addClient(request, isDry: false).message.contains("nothing was changed"))
        var other = request
        other.auth = .none
        #expect(refusal { _ = try tool.addClient(other, isDry: false) }.contains("there is a client 'Weather'"))
    }

    @Test(arguments: [
        ("weather", "is no name of a client"), ("Tide-Table", "'TideTable'"), ("Ab", "3 to 40"), ("", "no name"),
        ("Default", "keyword"), ("Runbooks", "there is a feature 'Runbooks'"), ("WEATHER", "a client 'Weather'"),
        ("Crypto", "a build has already"), ("RunbooksData", "a build has already"), ("Network", "'NetworkError'"),
        ("../../etc", "is no name"), ("$(touch x)", "is no name"),
    ])
    func `a name that cannot be is refused with a next step, and nothing changes`(name: String, reason: String) {
        let before = files.snapshot
        let request = AddClient.Request(name: name, baseURL: "https://x.example")
        let message = refusal { _ = try tool.addClient(request, isDry: false) }
        #expect(message.contains(reason), "\(message)")
        #expect(message.lowercased().contains("use "), "\(message)")
        #expect(files.snapshot == before)
    }

    @Test func `an address that cannot be is refused, and nothing changes`() {
        let before = files.snapshot
        let request = AddClient.Request(name: "Tides", baseURL: "tides.example")
        #expect(refusal { _ = try tool.addClient(request, isDry: false) }.contains("http:// or https://"))
        #expect(files.snapshot == before)
    }

    @Test func `a list without its markers stops everything, with the line to add`() throws {
        let text = try #require(files.files["Package.swift"]?.text)
        files.edit("Package.swift", text.replacing("scaffold:begin clients", with: "edited"))
        let before = files.snapshot
        let message = refusal { _ = try tool.addClient(.tides, isDry: false) }
        #expect(message.hasSuffix("The line to have there is: Client(\"Tides\")"), "\(message)")
        #expect(files.snapshot == before)
    }

    // MARK: Removing

    @Test(arguments: ClientAuth.allCases)
    func `what was added goes to the byte`(auth: ClientAuth) throws {
        let before = files.snapshot
        _ = try tool.addClient(AddClient.Request(name: "Tides", baseURL: "http://x.test", auth: auth), isDry: false)
        let dry = try tool.removeClient("Tides", isForced: false, isDry: true)
        let done = try tool.removeClient("tides", isForced: false, isDry: false)
        #expect(done.exitCode == .done && done.changes == dry.changes)
        #expect(files.snapshot == before)
    }

    @Test func `one goes, a feature and another client stay as if they had been alone`() throws {
        let alone = MemoryFileSystem.sample()
        let other = AddClient.Request(name: "Buoys", baseURL: "https://buoys.example", auth: .none)
        _ = try ScaffoldTool(alone).addClient(other, isDry: false)
        _ = try ScaffoldTool(alone).add(.incident, isDry: false)
        _ = try tool.addClient(.tides, isDry: false)
        _ = try tool.add(.incident, isDry: false)
        _ = try tool.addClient(other, isDry: false)
        _ = try tool.removeClient("Tides", isForced: false, isDry: false)
        #expect(files.snapshot == alone.snapshot)
    }

    @Test func `changed files are listed and stay, and with force copies are kept`() throws {
        let start = files.files
        _ = try tool.addClient(.tides, isDry: false)
        files.edit("Modules/Clients/Tides/TidesClient.swift", "edited")
        files.edit("Tests/Clients/Tides/Mine.swift", "mine")
        let before = files.snapshot
        let message = refusal { _ = try tool.removeClient("Tides", isForced: false, isDry: false) }
        #expect(message.contains("Modules/Clients/Tides/TidesClient.swift: edited"), "\(message)")
        #expect(message.contains("Tests/Clients/Tides/Mine.swift: not written with it"), "\(message)")
        #expect(files.snapshot == before)

        let report = try tool.removeClient("Tides", isForced: true, isDry: false)
        let kept = ".scaffold/backups/Tides-1/Modules/Clients/Tides/TidesClient.swift"
        #expect(files.files[try RelativePath(kept)]?.text == "edited")
        #expect(files.files.filter { !$0.key.isWithin(".scaffold") } == start)
        #expect(report.next == ["Changed files are kept in '.scaffold/backups/Tides-1'."])
    }

    @Test(arguments: [
        ("Modules/Features/Runbooks/Data/Uses.swift", "package import Tides"),
        ("Tests/Features/Runbooks/UsesTests.swift", "@testable import Tides"),
        ("Apps/CLI/Uses.swift", "import struct Tides.Forecast"),
    ])
    func `a client that something uses stays, forced or not`(path: RelativePath, line: String) throws {
        _ = try tool.addClient(.tides, isDry: false)
        // A comment, another module, a text and a member are no use.
        files.edit(
            path, "// import Tides\nimport TidesDomain\nlet text = \"import Tides\"\nimport struct Sea.Tides\n\(line)\n"
        )
        let before = files.snapshot
        for isForced in [false, true] {
            let message = refusal { _ = try tool.removeClient("Tides", isForced: isForced, isDry: false) }
            #expect(message.hasPrefix("'Tides' is used by others:\n  \(path):5: \(line)\nTake"), "\(message)")
        }
        #expect(files.snapshot == before)
    }

    @Test func `a client that a row of the manifest names stays`() throws {
        _ = try tool.addClient(.tides, isDry: false)
        let row = "Feature(\"Runbooks\", .cached, also: [\"Tides\"])"
        let text = try #require(files.files["Package.swift"]?.text)
        files.edit("Package.swift", text.replacing("Feature(\"Runbooks\", .cached)", with: row))
        let message = refusal { _ = try tool.removeClient("Tides", isForced: true, isDry: false) }
        #expect(message.contains("Package.swift:3: \(row)"), "\(message)")
    }

    @Test(arguments: [
        ("Nothing", "There is no client 'Nothing'"), ("Weather", "was not made by Scripts/new-client"),
        ("Incident", "There is no client"), ("../x", "There is no client"),
    ])
    func `what was not made here is not removed`(name: String, reason: String) throws {
        _ = try tool.add(.incident, isDry: false)
        let message = refusal { _ = try tool.removeClient(name, isForced: true, isDry: false) }
        #expect(message.contains(reason), "\(message)")
        #expect(message.hasSuffix("No client was made by Scripts/new-client yet."), "\(message)")
    }

    // MARK: Listing

    @Test func `clients are listed beside features, with what differs`() throws {
        _ = try tool.addClient(.tides, isDry: false)
        #expect(try tool.list().text.contains("Tides (client, bearer): https://tides.example/v1\n"))
        #expect(try tool.list().message.hasSuffix("1 made by Scripts/new-client."))
        files.edit("Modules/Clients/Tides/README.md", "edited")
        let report = try tool.list()
        #expect(report.clients.map(\.differences) == [["Modules/Clients/Tides/README.md: edited"]])
        #expect(report.features.isEmpty && report.exitCode == .done)
        files.discard("Modules/Clients/Tides/README.md")
        #expect(try tool.list().exitCode == .refused)
        #expect(try tool.list().message.contains("'Scripts/remove-client Tides --force'"))
    }

    @Test func `a record that was damaged or is of a newer tool is named`() throws {
        _ = try tool.addClient(.tides, isDry: false)
        let path: RelativePath = ".scaffold/clients/Tides.json"
        let record = try #require(files.files[path]?.text)
        files.edit(path, record.replacing("\"bearer\"", with: "\"digest\""))
        #expect(refusal { _ = try tool.list() }.contains("'\(path)' is no record of a client"))
        files.edit(path, record.replacing("\"toolVersion\" : 2", with: "\"toolVersion\" : 3"))
        #expect(refusal { _ = try tool.list() }.contains("newer version"))
        files.edit(path, record.replacing("https://tides", with: "ftp://tides"))
        #expect(refusal { _ = try tool.list() }.contains("http:// or https://"))
    }
}
