import ArgumentParser
import StrataService

struct OpenAPICommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "openapi", abstract: "Print the OpenAPI document of the endpoints, as /openapi.json has it.")

    @OptionGroup var store: StoreOptions

    func run(environment: [String: String]) async throws {
        StandardStreams.output(try await Self.document(store.settings(environment)).text)
    }

    static func document(_ settings: Settings) async throws -> OpenAPIDocument {
        try await Backend(offline: settings, store: NoStore()).service.openAPI
    }

    /// The document needs no database.
    private struct NoStore: Store {
        private static var refusal: StoreError { .unavailable("This command uses no database.") }

        func read<Result: Sendable>(
            _ body: @escaping @Sendable (any StoreReader) throws -> Result
        ) async throws -> Result { throw Self.refusal }

        func write<Result: Sendable>(
            _ body: @escaping @Sendable (any StoreTransaction) throws -> Result
        ) async throws -> Result { throw Self.refusal }

        func migrate(_ migrations: [StoreMigration]) async throws { throw Self.refusal }
    }
}
