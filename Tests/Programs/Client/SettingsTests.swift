import ArgumentParser
import Logging
import StrataDomain
import StrataNetworking
import StrataTerminal
import StrataTesting
import Testing

@testable import StrataClientProgram

@Suite struct `The settings of a program` {
    @Test func `variables, folders, logs and the user agent have the name of the program`() throws {
        let tides = try Tides()
        let settings = try tides.settings(variables: ["PROFILE": "ops"])
        #expect(tides.program.variable("SERVER") == "TIDE_DESK_SERVER")
        #expect(settings.profile == "ops")
        #expect(LocalData.path(settings) == "\(tides.home.path)/state/offline/ops.sqlite")
        #expect(Logs(tides.program, verbose: true)(.httpCache).label == "tide-desk.cache.http")
        #expect(tides.program.userAgent == "tide-desk/1.2.0")
        let folders = try Settings(tides.program, GlobalOptions.parse([]), environment: ["HOME": "/home/ada"]).paths
        #expect(folders.config == "/home/ada/.config/tide-desk")
    }

    @Test(arguments: [
        ([], [:], "http://tides.test:1"), ([], ["SERVER": "http://b.test"], "http://b.test"),
        (["--server", "http://c.test"], ["SERVER": "http://b.test"], "http://c.test"),
    ])
    func `a flag wins over the variable, and the variable over the default of the program`(
        flags: [String], variables: [String: String], server: String
    ) throws {
        #expect("\(try Tides().settings(flags, variables: variables).server.origin)" == server)
    }

    @Test func `a keyring that is missing is answered with the variable that chooses the file`() async throws {
        let settings = try Tides().settings(variables: ["TOKEN_STORE": "secret-service"])
        let places = TokenStores(settings: settings, console: Console(json: true))
        let error = await #expect(throws: TokenStoreError.self) { try await places.storeForLogin() }
        #expect(error?.description.contains("set TIDE_DESK_TOKEN_STORE=file") == true, "\(error?.description ?? "")")
    }

    @Test func `a file of authorities that is missing is answered with the variable that names it`() throws {
        let settings = try Tides().settings(variables: ["CA_FILE": "/no/such/file"])
        let error = #expect(throws: NetworkError.self) { try settings.transport() }
        #expect(error?.reason.contains("Correct TIDE_DESK_CA_FILE, or leave it out.") == true)
    }

    @Test(arguments: ["private", "shared"])
    func `the cache of the proxy has the name of no profile`(mode: String) throws {
        #expect(throws: CommandFailure.self) {
            try ProfileName.checked(ProfileCaches.namespace(ofProxy: mode))
        }
    }
}
