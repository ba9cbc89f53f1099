import AccountsAPI
import AccountsDomain
import FoundationEssentials
import StrataDomain
import StrataSQLite
import StrataService
import StrataTesting
import Testing

@testable import AccountsService

@Suite struct UserRoutesTests {
    private static func draft(_ username: String, _ role: Role = .member, _ password: String? = "a new password")
        -> UserDraft
    {
        UserDraft(username: username, role: role, password: password.map(Secret.init))
    }

    private static func id(_ username: String, _ client: AccountsClient, _ admin: AccountsClient.Caller) async throws
        -> User.ID
    {
        try #require(try await client.send(ListUsers(), as: admin).users.first { $0.username == username }).id
    }

    @Test func `a user is created, read, replaced and deleted`() async throws {
        try await withAccounts { backend, client in
            let admin = try await client.admin()
            let created = try await client.send(CreateUser(draft: Self.draft("bob")), as: admin)
            #expect(created.username == "bob" && created.role == .member)
            #expect(created.createdAt == backend.clock.now && created.updatedAt == created.createdAt)
            #expect(try await client.send(GetUser(id: created.id), as: admin) == created)
            _ = try await client.login("bob", Secret("a new password"))

            backend.clock.advance(by: .seconds(60))
            let renamed = try await client.send(
                UpdateUser(id: created.id, draft: Self.draft("robert", .admin, nil)), as: admin)
            #expect(renamed.username == "robert" && renamed.role == .admin && renamed.id == created.id)
            #expect(renamed.createdAt == created.createdAt && renamed.updatedAt == backend.clock.now)
            _ = try await client.login("robert", Secret("a new password"))

            _ = try await client.send(DeleteUser(id: created.id), as: admin)
        }
    }

    @Test func `an address is set, kept by an update without one, and removed by an empty text`() async throws {
        try await withAccounts { backend, client in
            let admin = try await client.admin()
            var draft = Self.draft("bob")
            draft.email = "bob@example.org"
            let bob = try await client.send(CreateUser(draft: draft), as: admin)
            #expect(bob.email == "bob@example.org")
            let kept = try await client.send(UpdateUser(id: bob.id, draft: Self.draft("bob", .admin, nil)), as: admin)
            #expect(kept.email == "bob@example.org" && kept.role == .admin)
            #expect(try await client.send(GetUser(id: bob.id), as: admin) == kept)
            #expect(try await client.send(ListUsers(), as: admin).users.contains(kept))
            draft.email = ""
            #expect(try await client.send(UpdateUser(id: bob.id, draft: draft), as: admin).email == nil)
            let eve = try await backend.accounts.createUser(
                username: "eve", role: .member, password: AccountsBackend.password, email: "eve@example.org")
            #expect(eve.email == "eve@example.org")
        }
    }

    @Test(arguments: [
        "bob", "bob@", "@example.org", "bob@example.org\r\nBcc: eve@example.org", "bob@example.org,eve@example.org",
        "Bob <bob@example.org>", "-f@example.org", "b\u{F6}b@example.org", String(repeating: "x", count: 255),
    ])
    func `a text that is no address is refused with its field`(email: String) async throws {
        try await withAccounts { _, client in
            let admin = try await client.admin()
            let bob = try await client.send(CreateUser(draft: Self.draft("bob")), as: admin)
            var draft = Self.draft("rob")
            draft.email = email
            let created = try await client.refusal(of: CreateUser(draft: draft), as: admin)
            let updated = try await client.refusal(of: UpdateUser(id: bob.id, draft: draft), as: admin)
            for refusal in [created, updated] {
                #expect(refusal.status == 422 && refusal.problem.errors?.map(\.field) == ["email"])
            }
        }
    }

    @Test func `the largest page of users is far below 1 MiB, so that pages can have numbers`() async throws {
        try await withAccounts { backend, client in
            let admin = try await client.admin()
            let now = backend.clock.now
            try await backend.store.write { transaction in
                for number in 100..<300 {
                    let name = String(repeating: "u", count: 61) + "\(number)"
                    let user = User(
                        id: User.ID(UUIDv7.string(at: now)), username: name, role: .member, createdAt: now,
                        updatedAt: now)
                    try UserTable.insert(user, hash: "x", in: transaction)
                }
            }
            let page = try await client.send(ListUsers(limit: 200), as: admin)
            #expect(page.users.count == 200)
            #expect(try WireJSON.encode(page).count < PageLimit.bytes / 8)
        }
    }

    @Test func `a new name is no option and no path, and an account that has such a name keeps it`() async throws {
        try await withAccounts { backend, client in
            let admin = try await client.admin()
            let bob = try await client.send(CreateUser(draft: Self.draft("bob")), as: admin)
            for name in ["-x", "--help", ".", ".."] {
                let created = try await client.refusal(of: CreateUser(draft: Self.draft(name)), as: admin)
                let renamed = try await client.refusal(
                    of: UpdateUser(id: bob.id, draft: Self.draft(name)), as: admin)
                for refusal in [created, renamed] {
                    #expect(refusal.status == 422 && refusal.problem.errors?.map(\.field) == ["username"], "\(name)")
                }
            }
            _ = try await client.send(CreateUser(draft: Self.draft("a-b..c-")), as: admin)
            try await backend.store.write { transaction in
                _ = try transaction.execute("UPDATE app_user SET username = '-x' WHERE id = \(bob.id.rawValue)")
            }
            _ = try await client.login("-x", Secret("a new password"))
            _ = try await client.send(UpdateUser(id: bob.id, draft: Self.draft("-x", .admin)), as: admin)
            try await backend.accounts.setPassword(of: "-x", to: Secret("another password"))
            _ = try await client.login("-x", Secret("another password"))
        }
    }

    @Test func `a taken name is a conflict, for a new user and for a renamed one`() async throws {
        try await withAccounts { _, client in
            let admin = try await client.admin()
            let refusal = try await client.refusal(of: CreateUser(draft: Self.draft("ada")), as: admin)
            #expect(refusal.status == 409)
            #expect(refusal.problem.code == "username_taken")
            #expect(refusal.problem.detail?.contains("'ada'") == true)
            let bob = try await client.send(CreateUser(draft: Self.draft("bob")), as: admin)
            let renamed = try await client.refusal(of: UpdateUser(id: bob.id, draft: Self.draft("ada")), as: admin)
            #expect(renamed.problem.code == "username_taken")
            // Its own name is not taken by itself.
            _ = try await client.send(UpdateUser(id: bob.id, draft: Self.draft("bob")), as: admin)
        }
    }

    @Test(
        arguments: [
            ("", "a new password", ["username"]), ("Ada", "a new password", ["username"]),
            ("a b", "a new password", ["username"]), ("é", "a new password", ["username"]),
            (String(repeating: "x", count: 65), "a new password", ["username"]), ("bob", "short", ["password"]),
            ("bob", nil, ["password"]), ("", "", ["username", "password"]),
        ] as [(String, String?, Set<String>)])
    func `what cannot be a user is refused field by field`(
        username: String, password: String?, fields: Set<String>
    ) async throws {
        try await withAccounts { _, client in
            let admin = try await client.admin()
            let refusal = try await client.refusal(
                of: CreateUser(draft: Self.draft(username, .member, password)), as: admin)
            #expect(refusal.status == 422)
            #expect(Set(refusal.problem.errors?.map(\.field) ?? []) == fields)
            if let password, !password.isEmpty { #expect(refusal.problem.detail?.contains(password) == false) }
        }
    }

    @Test(arguments: [
        #"{"username":"bob","role":"owner","password":"a new password"}"#, #"{"username":"bob"}"#, "[]", "{",
        #"{"username":7,"role":"member","password":"a new password"}"#, "null", "",
    ])
    func `a body that is no draft is a 4xx`(body: String) async throws {
        try await withAccounts { _, client in
            let reply = try await client.reply(
                "POST", "/v1/users", as: try await client.admin(), headers: ["Content-Type": "application/json"],
                body: Data(body.utf8))
            #expect((400..<500).contains(reply.status))
        }
    }

    @Test func `server-owned fields in a body change nothing`() async throws {
        try await withAccounts { _, client in
            let body =
                #"{"id":"mine","username":"bob","role":"member","password":"a new password","created_at":"2001-01-01T00:00:00Z"}"#
            let reply = try await client.reply(
                "POST", "/v1/users", as: try await client.admin(), headers: ["Content-Type": "application/json"],
                body: Data(body.utf8))
            let user = try reply.decoded(User.self)
            #expect(user.id.rawValue != "mine")
            #expect(user.createdAt > Date(timeIntervalSince1970: 1_700_000_000))
        }
    }

    @Test func `a role that the service has no more stays in an update, and no one gets it`() async throws {
        try await withAccounts { backend, client in
            try await backend.store.write {
                _ = try $0.execute("UPDATE app_user SET role = 'gone' WHERE username = 'ada'")
            }
            let (admin, ada) = (try await client.admin(), try await client.member())
            #expect(try await client.send(GetMe(), as: ada).role.rawValue == "gone")
            let id = try await Self.id("ada", client, admin)
            let gone = Role(rawValue: "gone")
            let renamed = try await client.send(
                UpdateUser(id: id, draft: Self.draft("eve", gone, nil)), as: admin)
            #expect(renamed.username == "eve" && renamed.role == gone)
            let root = try await Self.id("root", client, admin)
            for refusal in [
                try await client.refusal(of: UpdateUser(id: root, draft: Self.draft("root", gone, nil)), as: admin),
                try await client.refusal(of: CreateUser(draft: Self.draft("bob", gone)), as: admin),
            ] {
                #expect(refusal.status == 422)
                #expect(refusal.problem.errors == [.init(field: "role", message: "must be one of member, admin")])
            }
        }
    }

    @Test func `the last administrator can be neither deleted nor demoted`() async throws {
        try await withAccounts { _, client in
            let admin = try await client.admin()
            let root = try await Self.id("root", client, admin)
            let deleted = try await client.refusal(of: DeleteUser(id: root), as: admin)
            #expect(deleted.status == 409)
            #expect(deleted.problem.code == "last_admin")
            let demoted = try await client.refusal(
                of: UpdateUser(id: root, draft: Self.draft("root", .member, nil)), as: admin)
            #expect(demoted.problem.code == "last_admin")
            _ = try await client.send(CreateUser(draft: Self.draft("second", .admin)), as: admin)
            _ = try await client.send(DeleteUser(id: root), as: admin)
            #expect(try await client.refusal(of: GetMe(), as: admin).status == 401)
        }
    }

    @Test func `two administrators who delete each other at once leave one`() async throws {
        try await withAccounts { backend, client in
            let first = try await client.admin()
            let created = try await client.send(CreateUser(draft: Self.draft("second", .admin)), as: first)
            let second = AccountsClient.Caller.bearer(
                try await client.login("second", Secret("a new password")).accessToken)
            let root = try await Self.id("root", client, first)
            async let one = client.reply(DeleteUser(id: created.id), as: first)
            async let other = client.reply(DeleteUser(id: root), as: second)
            _ = try await (one, other)
            #expect(try await backend.rows("SELECT id FROM app_user WHERE role = 'admin'").count >= 1)
        }
    }

    @Test func `deleting a user ends the sessions at once`() async throws {
        try await withAccounts { _, client in
            let admin = try await client.admin()
            let tokens = try await client.login("ada")
            _ = try await client.send(DeleteUser(id: try await Self.id("ada", client, admin)), as: admin)
            #expect(try await client.refusal(of: GetMe(), as: .bearer(tokens.accessToken)).status == 401)
            let refused = try await client.refusal(
                of: RefreshSession(grant: TokenGrant(refreshToken: tokens.refreshToken)))
            #expect(refused.problem.error == "invalid_grant")
        }
    }

    @Test func `a new password ends the user's sessions, and spares the caller's own`() async throws {
        try await withAccounts { _, client in
            let admin = try await client.admin()
            let elsewhere = try await client.login("root")
            let ada = try await client.login("ada")
            let adaId = try await Self.id("ada", client, admin)
            _ = try await client.send(UpdateUser(id: adaId, draft: Self.draft("ada")), as: admin)
            #expect(try await client.refusal(of: GetMe(), as: .bearer(ada.accessToken)).status == 401)
            _ = try await client.login("ada", Secret("a new password"))

            let root = try await Self.id("root", client, admin)
            _ = try await client.send(UpdateUser(id: root, draft: Self.draft("root", .admin)), as: admin)
            _ = try await client.send(GetMe(), as: admin)
            #expect(try await client.refusal(of: GetMe(), as: .bearer(elsewhere.accessToken)).status == 401)
        }
    }

    @Test func `without a new password the sessions and the password stay`() async throws {
        try await withAccounts { _, client in
            let admin = try await client.admin()
            let ada = try await client.member()
            let id = try await Self.id("ada", client, admin)
            _ = try await client.send(UpdateUser(id: id, draft: Self.draft("ada", .member, nil)), as: admin)
            _ = try await client.send(GetMe(), as: ada)
            _ = try await client.login("ada")
        }
    }

    @Test func `a right that is given or withdrawn counts for tokens that were issued before`() async throws {
        try await withAccounts { _, client in
            let admin = try await client.admin()
            let ada = try await client.member()
            let id = try await Self.id("ada", client, admin)
            #expect(try await client.refusal(of: ListUsers(), as: ada).status == 403)
            _ = try await client.send(UpdateUser(id: id, draft: Self.draft("ada", .admin, nil)), as: admin)
            _ = try await client.send(ListUsers(), as: ada)
            _ = try await client.send(UpdateUser(id: id, draft: Self.draft("ada", .member, nil)), as: admin)
            #expect(try await client.refusal(of: ListUsers(), as: ada).status == 403)
        }
    }

    @Test func `pages show every user once, by name, with the way to the next page`() async throws {
        try await withAccounts { _, client in
            let admin = try await client.admin()
            for number in 0..<5 { _ = try await client.send(CreateUser(draft: Self.draft("user\(number)")), as: admin) }
            var names: [String] = []
            for page in 1...3 {
                let found = try await client.send(ListUsers(page: page, limit: 3), as: admin)
                #expect(found.total == 7 && found.page == page)
                names += found.users.map(\.username)
            }
            #expect(names == ["ada", "root", "user0", "user1", "user2", "user3", "user4"])
            let link = try await client.reply(ListUsers(page: 2, limit: 3), as: admin).headers["Link"]
            #expect(link == "</v1/users?limit=3&page=3>; rel=\"next\"")
            #expect(try await client.reply(ListUsers(page: 3, limit: 3), as: admin).headers["Link"] == nil)
            #expect(try await client.send(ListUsers(page: 1_000_000, limit: 200), as: admin).users.isEmpty)
        }
    }

    @Test(arguments: [(0, 50), (-1, 50), (1_000_001, 50), (.max, 50), (.min, 50), (1, 0), (1, 201), (1, .max)])
    func `a page outside the range is refused with its field`(page: Int, limit: Int) async throws {
        try await withAccounts { _, client in
            let refusal = try await client.refusal(
                of: ListUsers(page: page, limit: limit), as: try await client.admin())
            #expect(refusal.status == 422)
            #expect(refusal.problem.errors?.count == 1)
        }
    }

    @Test func `the command creates a user and refuses what the endpoint refuses`() async throws {
        try await withAccounts { backend, client in
            let accounts = backend.accounts
            let user = try await accounts.createUser(username: "eve", role: .member, password: Secret("a new password"))
            #expect(user.username == "eve")
            _ = try await client.login("eve", Secret("a new password"))
            await #expect(throws: ServiceError.self) {
                try await accounts.createUser(username: "eve", role: .member, password: Secret("a new password"))
            }
            await #expect(throws: ServiceError.self) {
                try await accounts.createUser(username: "Eve", role: .member, password: Secret("short"))
            }
        }
    }

    @Test func `an operator sets a password, which ends the sessions of the account`() async throws {
        try await withAccounts { backend, client in
            let accounts = backend.accounts
            try await accounts.createUser(username: "eve", role: .member, password: Secret("an old password"))
            _ = try await client.login("eve", Secret("an old password"))
            #expect(try await accounts.users().first { $0.user.username == "eve" }?.sessions == 1)
            await #expect(throws: ServiceError.self) { try await accounts.setPassword(of: "eve", to: Secret("short")) }
            try await accounts.setPassword(of: "eve", to: Secret("a new password"))
            #expect(try await accounts.users().first { $0.user.username == "eve" }?.sessions == 0)
            _ = try await client.login("eve", Secret("a new password"))
            #expect(try await accounts.endSessions(of: "eve") == 1)
            #expect(try await accounts.endSessions(of: "eve") == 0)
        }
    }

    @Test func `an operator deletes an account, but not the last administrator`() async throws {
        try await withAccounts { backend, client in
            let accounts = backend.accounts
            try await accounts.createUser(username: "eve", role: .member, password: Secret("a good password"))
            try await accounts.deleteUser("eve")
            let names = try await accounts.users().map(\.user.username)
            #expect(!names.contains("eve"))
            for name in try await accounts.users().filter({ $0.user.role == .admin }).dropLast().map(\.user.username) {
                try await accounts.deleteUser(name)
            }
            let last = try #require(try await accounts.users().first { $0.user.role == .admin }?.user.username)
            let refusal = await #expect(throws: ServiceError.self) { try await accounts.deleteUser(last) }
            #expect(refusal?.problem.code == "last_admin")
            let unknown = await #expect(throws: ServiceError.self) { try await accounts.deleteUser("nobody") }
            #expect(unknown?.problem.status == 404)
        }
    }
}
