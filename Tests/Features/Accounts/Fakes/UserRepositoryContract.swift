import AccountsDomain
import StrataDomain
import StrataFeatureTesting
import Testing

/// What every `UserRepository` promises to an administrator; run it on the fake and on the real one.
struct UserRepositoryContract {
    let repository: any UserRepository

    func check() async throws {
        let draft = UserDraft(username: "cyd", role: .member, password: Secret("a good password"))
        let created = try await repository.create(draft)
        #expect(created.username == "cyd" && created.role == .member)
        #expect(try await repository.get(created.id) == created)
        let (items, total) = try await repository.list(upTo: .max)
        #expect(items.contains(created) && items.count == total && Set(items.map(\.id)).count == total)
        #expect(try await repository.list(upTo: 1).total == total)
        #expect(
            await DomainError.Kind.ofFailure { () throws(DomainError) in _ = try await repository.create(draft) }
                == .conflict)

        let updated = try await repository.update(
            created.id, to: UserDraft(username: "cyd2", role: .admin, password: nil))
        #expect(updated.id == created.id && updated.username == "cyd2" && updated.role == .admin)
        #expect(try await repository.get(created.id) == updated)
        try await repository.delete(created.id)
        let gone = created.id
        #expect(
            await DomainError.Kind.ofFailure { () throws(DomainError) in _ = try await repository.get(gone) }
                == .notFound)
        #expect(
            await DomainError.Kind.ofFailure { () throws(DomainError) in try await repository.delete(gone) }
                == .notFound)
        #expect(
            await DomainError.Kind.ofFailure { () throws(DomainError) in
                _ = try await repository.update(gone, to: draft)
            }
                == .notFound)
    }
}

/// What every `HostTokenRepository` promises to an administrator.
struct HostTokenRepositoryContract {
    let repository: any HostTokenRepository

    func check() async throws {
        #expect(try await repository.list(upTo: 9).items.isEmpty)
        let created = try await repository.create(HostTokenDraft(name: "web1"))
        let token = created.token
        #expect(token.name == "web1" && token.lastUsedAt == nil && created.key?.reveal().isEmpty == false)
        let second = try await repository.create(HostTokenDraft(name: "db1"))
        let other = second.token
        #expect(second.key != created.key)
        #expect(try await Set(repository.list(upTo: 9).items.map(\.id)) == [token.id, other.id])
        try await repository.delete(token.id)
        #expect(try await repository.list(upTo: 9).items.map(\.id) == [other.id])
        #expect(
            await DomainError.Kind.ofFailure { () throws(DomainError) in try await repository.delete(token.id) }
                == .notFound
        )
    }
}
