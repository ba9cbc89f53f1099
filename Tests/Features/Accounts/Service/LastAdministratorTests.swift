import AccountsDomain
import FoundationEssentials
import StrataDomain
import StrataFeatureTesting
import StrataService
import StrataTesting
import Testing

@testable import AccountsService

/// The last of the anomalies of `StoreAnomalyTests`: a rule over the rows of a feature, in writes that run side by side.
@Suite struct LastAdministratorTests {
    private static let rounds = 50

    /// Two administrators, and no other.
    private func appoint(_ round: Int, in store: any Store) async throws -> [String] {
        let names = ["ada\(round)", "bob\(round)"]
        let now = Date(timeIntervalSince1970: 1_795_251_600)
        try await store.write { transaction in
            try transaction.execute("DELETE FROM app_user")
            for name in names {
                let user = User(id: User.ID(name), username: name, role: .admin, createdAt: now, updatedAt: now)
                try UserTable.insert(user, hash: "x", in: transaction)
            }
        }
        return names
    }

    /// Whether the account was deleted; a write that the engine gave up is sent again.
    private func delete(_ name: String, _ accounts: AccountsService) async throws -> Bool {
        for _ in 0..<50 {
            do {
                try await accounts.deleteUser(name)
                return true
            } catch StoreError.unavailable { continue } catch let error as ServiceError {
                #expect(error.problem.code == "last_admin" || error.problem.status == 404)
                return false
            }
        }
        throw StoreError.unavailable("the write was given up 50 times")
    }

    @Test(.timeLimit(.minutes(3)), arguments: StoreEngine.all)
    func `the last administrator deleted by two: of two who are deleted at once at two replicas, one stays`(
        _ engine: StoreEngine
    ) async throws {
        try await withTemporaryDirectory { directory in
            let meeting = Meeting()
            var bases: [any Store] = []
            var replicas: [AccountsService] = []
            for _ in 0..<2 {
                let base = try await engine.open("\(directory)/accounts.db", isShared: true)
                bases.append(base)
                replicas.append(try await AccountsBackend(OverlappingStore(base, at: meeting)).accounts)
            }
            try await bases[0].migrate(replicas[0].migrations)
            for round in 0..<Self.rounds {
                let names = try await appoint(round, in: bases[0])
                meeting.convene(engine.isSQLite ? 0 : 2)
                let deleted = try await withThrowingTaskGroup(of: Bool.self) { group in
                    for number in 0..<6 {
                        let accounts = replicas[number % 2]
                        // Each replica deletes both, so that some deletions are of the same account.
                        group.addTask { try await delete(names[(number + number / 2) % 2], accounts) }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                meeting.convene(0)
                #expect(deleted.filter(\.self).count == 1)
                try await #expect(replicas[0].users().count { $0.user.role == .admin } == 1)
            }
            #expect(engine.isSQLite || meeting.met > Self.rounds / 2, "the writes hardly ever overlapped")
            for base in bases { try await StoreEngine.close(base) }
        }
    }
}
