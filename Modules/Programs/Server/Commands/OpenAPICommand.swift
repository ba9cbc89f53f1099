import ArgumentParser
import StrataService

struct OpenAPICommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "openapi", abstract: "Print the OpenAPI document of the endpoints, as /openapi.json has it.")

    @OptionGroup var store: StoreOptions

    func run(environment: [String: String]) async throws {
        let backend = try await Backend(offline: store.settings(environment), store: NoStore())
        try StandardStreams.output(backend.service.openAPI.text)
    }
}
