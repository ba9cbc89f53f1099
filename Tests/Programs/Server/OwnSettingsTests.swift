import ArgumentParser
import FoundationEssentials
import Logging
import StrataConcurrency
import StrataDomain
import StrataService
import Testing

@testable import StrataServerProgram

@Suite(.orderDesk) struct `The program's own settings` {
    @Test func `a flag wins over the environment, and the environment over the file`() throws {
        let file = try TemporaryFile(#"{"harbour": {"pier": "south", "key": "k3y"}, "crates": 3, "tide": "HIGH"}"#)
        let read = try Settings(configFile: file.path, environment: ["ORDER_DESK_CRATES": "4"])
        #expect(read.text(.pier) == "south" && read.number(.crates) == 4 && read.text(.tide) == "high")
        #expect(read.secret(.key)?.reveal() == "k3y")
        let named = ["ORDER_DESK_CONFIG_FILE": file.path, "ORDER_DESK_HARBOUR_PIER": "west"]
        #expect(try Settings(environment: named).text(.pier) == "west")
        #expect(try Settings(flags: [.pier: "north"], environment: named).text(.pier) == "north")
        let none = try Settings(environment: [:])
        #expect(none.text(.pier) == nil && none.number(.crates) == nil && none.secret(.key) == nil)
    }

    @Test func `serve has an option for a setting with a flag`() throws {
        let serve = try #require(try ProgramCommand.parseAsRoot(["serve", "--pier", "east"]) as? ServeCommand)
        #expect(serve.own.values == [.pier: "east"])
        let plain = try #require(try ProgramCommand.parseAsRoot(["serve"]) as? ServeCommand)
        #expect(plain.own.values.isEmpty)
        #expect(ProgramCommand.helpMessage(for: ServeCommand.self).contains("--pier <value>"))
        #expect(throws: (any Error).self) { try ProgramCommand.parseAsRoot(["serve", "--crates", "4"]) }
    }

    @Test(arguments: [
        ("ORDER_DESK_CRATES", "0", "crates (ORDER_DESK_CRATES) is '0'; write a number from 1 to 100."),
        ("ORDER_DESK_CRATES", "many", "crates (ORDER_DESK_CRATES) is 'many'; write a number from 1 to 100."),
        ("ORDER_DESK_TIDE", "low", "tide (ORDER_DESK_TIDE) is 'low'; write one of any, high."),
    ])
    func `a bad value is named with what to write`(variable: String, value: String, sentence: String) {
        let error = #expect(throws: SettingsError.self) { try Settings(environment: [variable: value]) }
        #expect(error?.description == sentence)
    }

    @Test func `a name that is no setting is refused, with the own ones among those that are`() throws {
        let file = try TemporaryFile(#"{"crate": 1}"#)
        let error = #expect(throws: SettingsError.self) { try Settings(configFile: file.path, environment: [:]) }
        #expect(error?.description.contains("refresh_token_seconds, harbour.pier, crates, tide") == true)
        #expect(error?.description.contains("which is no setting. Did you mean 'crates'? There are") == true)
    }

    @Test func `a secret is not on the page of administration`() throws {
        let settings = try Settings(environment: ["ORDER_DESK_HARBOUR_KEY": "k3y", "ORDER_DESK_CRATES": "7"])
        #expect(settings.given == [.crates: "7"])
        #expect(settings.shown.count == Setting.all.filter { !$0.isSecret }.count - 1, "the database is left out, too")
        #expect(!"\(settings)".contains("k3y"))
    }

    @Test func `metrics of the owner are beside those of the server`() async throws {
        let registry = Mutex<PrometheusRegistry?>(nil)
        let program = ServerProgram(
            name: "order-desk-server", client: "order-desk", release: "1", abstract: "", features: { _, _ in [] },
            metrics: { metrics in
                metrics.collect { [MetricSample("crates", .gauge, "Crates in the yard.", 3)] }
                registry.withLock { $0 = metrics }
            })
        _ = try await program.service(environment: ["HOME": "/nowhere"])
        let text = try #require(registry.withLock { $0 }).text()
        #expect(text.contains("\norder_desk_crates 3\n") && text.contains("# HELP order_desk_logins_total"), "\(text)")
    }

    @Test func `two settings with one variable are refused`() {
        let program = ServerProgram(
            name: "a-server", client: "a", release: "1", abstract: "",
            settings: [Setting("http_port", "8080; once more")], features: { _, _ in [] })
        let error = #expect(throws: SettingsError.self) {
            try ServerProgram.$current.withValue(program) { try Settings(environment: [:]) }
        }
        #expect(error?.description.contains("A_HTTP_PORT") == true)
    }
}

@Suite(.orderDesk) struct `The names of a program` {
    @Test func `follow from the names of server and client`() throws {
        let program = ServerProgram.current
        #expect(Setting.port.variable == "ORDER_DESK_HTTP_PORT" && program.metricPrefix == "order_desk_")
        #expect(program.logger("auth").label == "order-desk-server.auth")
        let home = ["HOME": "/home/ada"]
        #expect(try Settings(environment: home).databaseFile == "/home/ada/.local/share/order-desk/server.sqlite")
        #expect(try Settings(environment: ["ORDER_DESK_HOME": "/h"]).databaseFile == "/h/server.sqlite")
        let error = #expect(throws: SettingsError.self) { try SigningSecret.resolve(nil, in: .production) }
        #expect(
            error?.description.contains("ORDER_DESK_SIGNING_SECRET is not set; 'order-desk-server new-secret'") == true)
    }

    @Test func `are in the help, and the example's are not`() {
        let help =
            ProgramCommand.helpMessage(includeHidden: false, columns: 300)
            + ProgramCommand.helpMessage(for: NewSecretCommand.self)
        #expect(help.contains("USAGE: order-desk-server") && help.contains("new value for ORDER_DESK_SIGNING_SECRET"))
        #expect(help.contains("  ORDER_DESK_HARBOUR_PIER") && help.contains("order-desk; the name on the pages"))
        #expect(!help.lowercased().contains("shiftlog"))
    }

    @Test func `a service of it has the version of the program, and no database`() async throws {
        let service = try await ServerProgram.current.service(environment: ["HOME": "/nowhere"])
        #expect(try service.openAPI.text.contains("1.2.3"))
        #expect(service.openAPI.faults == [])
        await #expect(throws: StoreError.self) { try await service.prepare() }
    }
}
