import AccountsDomain
import AccountsService
import ArgumentParser
import StrataDomain
import StrataService
import StrataTesting
import Testing

@testable import StrataServerProgram

/// What users of a desk may do.
enum StaffRole: String, ServiceRole {
    case viewer, planner

    func may(_ action: RowAction, _ collection: String) -> Bool {
        switch (self, collection) {
        case (.planner, "shifts"): true
        default: action == .read
        }
    }
}

@Suite struct `Roles of an owner` {
    private let program = ServerProgram(
        name: "order-desk-server", client: "order-desk", release: "1", abstract: "",
        roles: UserRoles(StaffRole.self),
        features: { _, _ in [] })

    /// The values of `role` in a schema of the document; `nil` for any text.
    private static func role(of schema: String, in service: ServiceApplication) -> JSONValue? {
        var value: JSONValue? = service.openAPI.value
        for name in ["components", "schemas", schema, "properties", "role", "enum"] { value = value?.object?[name] }
        return value
    }

    @Test func `the OpenAPI document and create-user know them beside members and administrators`() async throws {
        let service = try await program.service(environment: [:])
        #expect(Self.role(of: "UserDraft", in: service) == .array(["member", "admin", "viewer", "planner"]))
        // A response may name a role that the service has no more.
        #expect(Self.role(of: "User", in: service) == nil)
        try ServerProgram.$current.withValue(program) {
            let words = ["create-user", "ada", "--password-stdin", "--role"]
            let command = try ProgramCommand.parseAsRoot(words + ["viewer"])
            #expect(command is CreateUserCommand)
            let error = #expect(throws: (any Error).self) { try ProgramCommand.parseAsRoot(words + ["boss"]) }
            let message = error.map { ProgramCommand.fullMessage(for: $0) } ?? ""
            #expect(message.contains("'boss'") && message.contains("viewer"), "\(message)")
            #expect(error.map { ProgramCommand.exitCode(for: $0).rawValue } == 64)
        }
    }

    @Test func `a rule for users of an OpenID provider makes accounts with them`() throws {
        let program = ServerProgram(
            name: "order-desk-server", client: "order-desk", release: "1", abstract: "",
            roles: UserRoles(StaffRole.self),
            openID: OpenIDRule(scopes: ["email", "groups"]) { user in
                guard user.texts("groups").contains("on-call") else { return .refused }
                return .created(name: user.texts("email").first, role: UserRole(StaffRole.planner))
            },
            features: { _, _ in [] })
        try ServerProgram.$current.withValue(program) {
            let environment = ["ORDER_DESK_OIDC_ISSUER": "https://id.example.org", "ORDER_DESK_OIDC_CLIENT_ID": "desk"]
            let settings = try Settings(environment: environment)
            let provider = try #require(try Backend.provider(settings, program.openID))
            func account(_ groups: JSONValue) -> OpenIDAccount {
                let claims: [String: JSONValue] = ["groups": groups, "email": .string("ada@example.org")]
                return provider.account(of: OpenIDIdentity(issuer: "i", subject: "7", claims: claims))
            }
            let planner = OpenIDAccount.created(name: "ada@example.org", role: UserRole(StaffRole.planner))
            #expect(account(.array([.string("cooks"), .string("on-call")])) == planner)
            #expect(account(.string("on-call")) == planner)
            #expect(account(.array([.string("cooks"), .integer(1)])) == .refused)
            #expect(account(.null) == .refused)
        }
    }

    @Test func `a service without own roles has the two`() async throws {
        let plain = ServerProgram(
            name: "order-desk-server", client: "order-desk", release: "1", abstract: "", features: { _, _ in [] })
        let service = try await plain.service(environment: [:])
        #expect(Self.role(of: "UserDraft", in: service) == .array(["member", "admin"]))
    }

    @Test func `a user keeps a role that the service has no more, may do nothing, and gets another one`() async throws {
        try await withTemporaryDirectory { directory in
            let environment = ["ORDER_DESK_HOME": directory]
            let settings = try ServerProgram.$current.withValue(program) {
                try #require(try ProgramCommand.parseAsRoot(["migrate"]) as? MigrateCommand).store.settings(environment)
            }
            try await ServerProgram.$current.withValue(program) {
                try await StoreOptions.withDatabase(settings) { database in
                    let backend = try await Backend(offline: settings, store: database)
                    try await backend.service.prepare()
                    let password = Secret("a good password")
                    let user = try await backend.accounts.createUser(
                        username: "ada", role: Role(rawValue: "viewer"), password: password)
                    #expect(user.role.rawValue == "viewer")
                    let refusal = await #expect(throws: ServiceError.self) {
                        try await backend.accounts.createUser(
                            username: "bob", role: Role(rawValue: "boss"), password: password)
                    }
                    #expect(refusal?.problem.status == 422)
                    #expect(
                        refusal?.problem.errors
                            == [.init(field: "role", message: "must be one of member, admin, viewer, planner")])
                }
            }
            let plain = ServerProgram(
                name: "order-desk-server", client: "order-desk", release: "2", abstract: "", features: { _, _ in [] })
            try await ServerProgram.$current.withValue(plain) {
                try await StoreOptions.withDatabase(settings) { database in
                    let backend = try await Backend(offline: settings, store: database)
                    try await backend.service.prepare()
                    let users = try await backend.accounts.users()
                    #expect(users.map(\.user.role.rawValue) == ["viewer"])
                }
            }
        }
    }
}
