package import StrataDomain

/// Looks after accounts; for administrators, `.forbidden` for others.
package struct ManageUsers: Sendable {
    private let repository: any UserRepository
    package init(_ repository: any UserRepository) { self.repository = repository }

    /// All users, page by page.
    package func list() async throws(DomainError) -> [User] {
        var users: [User] = []
        var page = 1
        while true {
            let next = try await repository.users(page: page, limit: Self.pageLimit)
            users += next.users
            // An empty page ends the walk too: users may be deleted while it goes on.
            if next.users.isEmpty || users.count >= next.total { return users }
            page += 1
        }
    }

    /// - Throws: `.validation` for a page below 1 or a limit outside 1 to 200.
    package func page(_ page: Int, limit: Int) async throws(DomainError) -> UserPage {
        var check = FieldCheck()
        if page < 1 { check.refuse("page", "must be 1 or more; it is \(page)") }
        if !(1...Self.pageLimit).contains(limit) {
            check.refuse("limit", "must be 1 to \(Self.pageLimit); it is \(limit)")
        }
        try check.orThrow("There is no such page.")
        return try await repository.users(page: page, limit: limit)
    }

    /// - Throws: `.notFound`.
    package func show(_ id: User.ID) async throws(DomainError) -> User { try await repository.user(id) }

    /// - Throws: `.validation` naming each field, before anything is sent; `.conflict` for a name that is taken.
    package func create(_ draft: UserDraft) async throws(DomainError) -> User {
        guard draft.password != nil else {
            throw .validation(
                "The account was not accepted.", fields: [FieldError(field: "password", message: "is missing")])
        }
        return try await repository.create(draft.validated())
    }

    /// The account after the edit; what is `nil` stays as it is.
    ///
    /// - Throws: `.validation` naming each field, or that nothing is changed; `.notFound`; `.conflict` for a taken name.
    package func update(
        _ id: User.ID, username: String? = nil, role: Role? = nil, password: Secret? = nil
    ) async throws(DomainError) -> User {
        guard username != nil || role != nil || password != nil else {
            throw .validation("The edit changes nothing; give a name, a role or a password.")
        }
        let user = try await repository.user(id)
        let draft = UserDraft(username: username ?? user.username, role: role ?? user.role, password: password)
        return try await repository.update(id, to: draft.validated())
    }

    /// - Throws: `.notFound`.
    package func delete(_ id: User.ID) async throws(DomainError) { try await repository.delete(id) }

    private static let pageLimit = 200
}
