import AccountsAPI
import AccountsDomain
import FoundationEssentials
import StrataDomain
import StrataService

extension AccountsService {
    func mountUsers(on routes: inout APIRoutes) {
        routes.read(ListUsers.self, for: .admins) { endpoint, _, reader in try list(endpoint, reader) }
        routes.read(GetUser.self, for: .admins) { endpoint, _, reader in
            try UserTable.existing(endpoint.id, in: reader)
        }
        // Hashing precedes the transaction. An `Idempotency-Key` is ignored for these two: its record would hold a plain
        // digest of a body with a password, which is faster to guess from than the password hash. A repeated create is
        // refused by the name, and a repeated update has the same effect.
        routes.handle(CreateUser.self, for: .admins) { endpoint, scope in
            try await create(endpoint.draft, at: scope.now, for: scope.clientAddress)
        }
        routes.handle(UpdateUser.self, for: .admins) { endpoint, scope in
            try await update(endpoint.id, to: endpoint.draft, scope)
        }
        routes.write(DeleteUser.self, for: .admins) { endpoint, scope, transaction in
            try delete(endpoint.id, at: scope.now, transaction)
            return NoContent()
        }
    }

    func create(_ draft: UserDraft, at now: Date, for client: String = "") async throws -> User {
        let draft = try accepting(draft.validated)
        try accept(draft.role)
        try acceptNew(username: draft.username)
        guard let password = draft.password else {
            let missing = FieldError(field: "password", message: "is missing; a new account needs one")
            throw ServiceError.validation([missing])
        }
        let email = try accepting(email: draft.email)
        let hash = try await hasher.hash(password, for: client)
        let user = User(
            id: User.ID(UUIDv7.string(at: now)), username: draft.username, role: draft.role, email: email,
            createdAt: now, updatedAt: now)
        try await store.write { transaction in try UserTable.insert(user, hash: hash, in: transaction) }
        return user
    }

    private func update(_ id: User.ID, to draft: UserDraft, _ scope: RequestScope) async throws -> User {
        let caller = try scope.user()
        let draft = try accepting(draft.validated)
        // Checked before the expensive hash.
        let present = try await store.read { reader in try UserTable.existing(id, in: reader) }
        // A role that the service has no more may stay.
        if draft.role != present.role { try accept(draft.role) }
        _ = try accepting(email: draft.email)
        var hash: String?
        if let password = draft.password { hash = try await hasher.hash(password, for: scope.clientAddress) }

        return try await store.write { [hash] transaction in
            var user = try UserTable.existing(id, in: transaction)
            if user.role == .admin, draft.role != .admin { try keepAnAdmin(besides: user, transaction) }
            if user.username != draft.username { try acceptNew(username: draft.username) }
            user.username = draft.username
            user.role = draft.role
            user.email = try accepting(email: draft.email, present: user.email)
            user.updatedAt = scope.now
            try UserTable.update(user, hash: hash, in: transaction)
            if hash != nil {
                let kept = id.rawValue == caller.id ? caller.sessionId : nil
                try Sessions.endAll(
                    of: id.rawValue, except: kept, because: .passwordChanged, at: scope.now, in: transaction)
            }
            return user
        }
    }

    func delete(_ id: User.ID, at now: Date, _ transaction: any StoreTransaction) throws {
        let user = try UserTable.existing(id, in: transaction)
        if user.role == .admin { try keepAnAdmin(besides: user, transaction) }
        try UserTable.delete(id, in: transaction)
        try OpenIDLinkTable.deleteAll(of: id, in: transaction)
        try Sessions.endAll(of: id.rawValue, because: .userDeleted, at: now, in: transaction)
    }

    /// - Throws: 422 for a role that the service does not have.
    private func accept(_ role: Role) throws {
        try validating { check in
            if !roles.names.contains(role.rawValue) {
                check.refuse("role", "must be one of \(roles.names.joined(separator: ", "))")
            }
        }
    }

    private func keepAnAdmin(besides user: User, _ reader: any StoreReader) throws {
        guard try UserTable.hasAdmin(besides: user.id, in: reader) else {
            throw ServiceError.conflict(
                code: "last_admin",
                "'\(user.username)' is the last administrator; make another user administrator first.")
        }
    }

    private func list(_ endpoint: ListUsers, _ reader: any StoreReader) throws -> UserPage {
        let page = endpoint.page ?? 1
        let limit = endpoint.limit ?? 50
        try validating { check in
            if !(1...1_000_000).contains(page) { check.refuse("page", "must be 1 to 1000000, not \(page)") }
            if !(1...200).contains(limit) { check.refuse("limit", "must be 1 to 200, not \(limit)") }
        }
        let found = try UserTable.page(offset: (page - 1) * limit, limit: limit, in: reader)
        return UserPage(users: found.users, total: found.total, page: page, limit: limit)
    }
}
