import Foundation
import StrataDomain
import StrataSQLite
import StrataService

/// The entity, stated once: table, routes, checks and OpenAPI follow from its fields.
struct Note: Entity {
    static let noun = "note"
    static let collection = "notes"
    static let fields: [EntityField<Note>] = [
        .init("text", \.text, .lines(1...1000)).searchable,
        .init("author", \.author, .line(1...80)).filterable,
    ]
    var text: String
    var author: String
}

struct Notes: FeatureService {
    private let table = EntityTable<Note>(versions: .row)
    var migrations: [StoreMigration] { table.migrations }
    func mount(on routes: inout APIRoutes) { table.mount(on: &routes) }
}

/// One user, whose token is in the arguments. A real service takes the logins of `AccountsService`.
struct OneUser: Authenticator {
    let token: String

    func principal(bearer token: String) async throws -> Principal {
        guard token == self.token else {
            throw ServiceError(
                401, code: "unauthorized", title: "Unauthorized", detail: "This token is not known.")
        }
        return .user(.init(id: "u-1", username: "ada", isAdmin: true, sessionId: "s-1"))
    }

    func principal(apiKey: String) async throws -> Principal {
        throw ServiceError(
            401, code: "unauthorized", title: "Unauthorized", detail: "There are no keys here; use a token.")
    }
}

let service = try await ServiceApplication(
    features: [Notes()], store: SQLiteStore.open(SQLiteLocation(path: CommandLine.arguments[1])),
    authenticator: OneUser(token: CommandLine.arguments[2]),
    options: ServiceOptions(port: 0),
    onListening: { port in
        FileHandle.standardOutput.write(Data("listening on http://127.0.0.1:\(port)\n".utf8))
    })
try await service.prepare()
try await service.run()
