import AccountsDomain
import FoundationEssentials
import StrataDomain
import StrataService

/// Accounts of the users of an OpenID provider. Only issuer and subject tell who a user is: names and mail addresses there may
/// pass to another user. A rule of the owner may trust a name (`OpenIDAccount.existing`).
extension AccountsService {
    /// The account of an identity; without one, what the owner's rule says.
    ///
    /// - Returns: `nil` when none is linked.
    func account(
        of identity: OpenIDIdentity, at provider: OpenIDProvider, _ scope: RequestScope
    ) async throws -> User? {
        let linked = try await store.read { reader in try OpenIDLinkTable.user(identity, in: reader) }
        if let linked { return linked }
        switch provider.account(of: identity) {
        case .refused: return nil
        case .existing(let name):
            return try await store.write { transaction in
                try link(identity, toAccountNamed: name, at: scope.now, in: transaction)
            }
        case .created(let name, let role):
            return try await create(for: identity, named: name, Role(rawValue: role.name), scope)
        }
    }

    /// - Returns: `nil` without such an account, and for one of another user of the provider.
    private func link(
        _ identity: OpenIDIdentity, toAccountNamed name: String, at now: Date, in transaction: any StoreTransaction
    ) throws -> User? {
        if let linked = try OpenIDLinkTable.user(identity, in: transaction) { return linked }
        guard let user = try UserTable.credentials(of: name, in: transaction)?.user,
            try !OpenIDLinkTable.isLinked(user.id, at: identity.issuer, in: transaction)
        else { return nil }
        try OpenIDLinkTable.replace(identity, with: user.id, at: now, in: transaction)
        return user
    }

    private func create(
        for identity: OpenIDIdentity, named name: String?, _ role: Role, _ scope: RequestScope
    ) async throws -> User {
        // The account has no password until an administrator sets one: that of this hash is known to no program.
        let hash = try await hasher.hash(OpaqueToken.make(prefix: ""), for: scope.clientAddress)
        var tries = 0
        while true {
            do {
                return try await store.write { transaction in
                    try create(for: identity, named: name, role, hash: hash, at: scope.now, in: transaction)
                }
            } catch let error as ServiceError where error.problem.code == "username_taken" && tries < 5 {
                // Another replica took the name in the meantime.
                tries += 1
            }
        }
    }

    private func create(
        for identity: OpenIDIdentity, named preferred: String?, _ role: Role, hash: String, at now: Date,
        in transaction: any StoreTransaction
    ) throws -> User {
        if let linked = try OpenIDLinkTable.user(identity, in: transaction) { return linked }
        let names = OpenIDNames(preferred)
        guard let name = try names.first(where: { try UserTable.credentials(of: $0, in: transaction) == nil }) else {
            throw StoreError.failed("no free name for a new account")
        }
        let user = User(
            id: User.ID(UUIDv7.string(at: now)), username: name, role: role, createdAt: now, updatedAt: now)
        try UserTable.insert(user, hash: hash, in: transaction)
        // A link of an account that was deleted since would stay in the way.
        try OpenIDLinkTable.replace(identity, with: user.id, at: now, in: transaction)
        return user
    }

    /// Links the user of an OpenID provider to an account.
    ///
    /// - Parameter issuer: The issuer of the provider.
    /// - Throws: `ServiceError` 404 for an unknown name, 409 when the subject is linked to another account, 422 for a subject that
    ///   no provider has.
    package func link(_ username: String, issuer: String, subject: String) async throws {
        guard (1...255).contains(subject.utf8.count), subject.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw ServiceError.validation([
                FieldError(field: "subject", message: "must be 1 to 255 ASCII characters")
            ])
        }
        let id = try await existing(username).id
        let identity = OpenIDIdentity(issuer: issuer, subject: subject)
        let now = clock.now
        try await store.write { transaction in
            if let user = try OpenIDLinkTable.user(identity, in: transaction), user.id != id {
                throw ServiceError.conflict(
                    code: "subject_taken", "The subject '\(subject)' is linked to '\(user.username)'; unlink it first.")
            }
            try OpenIDLinkTable.replace(identity, with: id, at: now, in: transaction)
        }
    }

    /// Removes the links of an account to users of OpenID providers, and ends its sessions.
    ///
    /// - Returns: How many links there were.
    /// - Throws: `ServiceError` 404 for an unknown name.
    package func unlink(_ username: String) async throws -> Int {
        let id = try await existing(username).id
        let now = clock.now
        return try await store.write { transaction in
            try Sessions.endAll(of: id.rawValue, because: .revoked, at: now, in: transaction)
            return try OpenIDLinkTable.deleteAll(of: id, in: transaction)
        }
    }
}

/// Names for a new account, from the name at the provider: `ada`, `ada-2` to `ada-99`, then with random digits.
struct OpenIDNames: Sequence {
    private let base: String

    /// - Parameter preferred: Letters in lower case, digits, `.`, `_` and `-` are kept. What is before an `@` counts.
    init(_ preferred: String?) {
        let name = (preferred ?? "").prefix { $0 != "@" }.lowercased().utf8.filter { byte in
            (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || [0x2D, 0x2E, 0x5F].contains(byte)
        }
        let kept = String(decoding: name.drop { $0 == 0x2D || $0 == 0x2E }.prefix(48), as: UTF8.self)
        base = kept.isEmpty ? "user" : kept
    }

    func makeIterator() -> some IteratorProtocol<String> {
        let numbered = (2...99).lazy.map { "\(base)-\($0)" }
        let random = (0..<10).lazy.map { _ in "\(base)-\(UInt32.random(in: 1_000_000 ... .max))" }
        return ([base] + Array(numbered) + Array(random)).makeIterator()
    }
}
