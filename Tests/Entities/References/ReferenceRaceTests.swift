import StrataDomain
import StrataFeatureTesting
import StrataNetworking
import StrataService
import StrataTesting
import Testing

/// A deletion and a write that names the deleted row, in transactions of two replicas that overlap.
@Suite struct `References where writes overlap` {
    private static let rounds = 20

    @Test(.timeLimit(.minutes(3)), arguments: StoreEngine.all)
    func `let one of the two pass, and the other is told why not`(_ engine: StoreEngine) async throws {
        try await withTemporaryDirectory { directory in
            let meeting = Meeting()
            var bases: [any Store] = []
            for _ in 0..<2 { bases.append(try await engine.open("\(directory)/references.db", isShared: true)) }
            let stores = bases.map { OverlappingStore($0, at: meeting) }
            try await withBackend(ReferenceService<Team>.all, on: stores[0]) { here in
                try await withBackend(ReferenceService<Team>.all, on: stores[1]) { there in
                    for _ in 0..<Self.rounds {
                        try await race(here.client(as: "admin-ada"), there.client(as: "admin-bob")) { parties in
                            meeting.convene(engine.isSQLite ? 0 : parties)
                        }
                    }
                }
            }
            #expect(engine.isSQLite || meeting.met > Self.rounds / 2, "the writes hardly ever overlapped")
            let dangling = try await bases[0].read { reader in
                try reader.rows("SELECT id FROM shifts WHERE team NOT IN (SELECT id FROM teams)").count
            }
            #expect(dangling == 0)
            for base in bases { try await StoreEngine.close(base) }
        }
    }

    private func race(
        _ here: HTTPAPIClient, _ there: HTTPAPIClient, _ convene: (Int) -> Void
    ) async throws {
        let team = try await here.team("Platform")
        convene(2)
        async let deletion = problem { try await here.send(DeleteEntity<Team>(id: team.id, ifMatch: nil)) }
        async let creation = problem { try await there.send(CreateEntity(Shift(title: "a", team: team.id))) }
        let (refusedDeletion, refusedCreation) = await (deletion, creation)
        convene(0)
        if let refusedDeletion {
            #expect(refusedCreation == nil, "Both were refused.")
            #expect(refusedDeletion.status == 409)
            #expect(refusedDeletion.detail?.hasPrefix("1 shift names the team") == true, "\(refusedDeletion)")
        } else {
            #expect(refusedCreation?.status == 422, "\(refusedCreation as Any)")
            #expect(refusedCreation?.errors?.map(\.field) == ["team"])
        }
    }
}
