import FoundationEssentials
import StrataConcurrency
import StrataDomain
import StrataFeatureTesting
import StrataNetworking
import StrataService
import StrataTesting
import Testing

/// Writers that create, refer and delete at random, by REST and by synchronisation, on the chosen engine.
@Suite struct `Writers at once` {
    /// What the server has acknowledged.
    private final class Ledger: Sendable {
        struct State: Sendable {
            var teams: [Team.ID] = []
            var created: Set<String> = []
            /// Ids whose deletion was sent, whatever became of it.
            var deleted: Set<String> = []
            var untold: [String] = []
            var refused = 0
        }
        private let state = Mutex(State())
        var current: State { state.withLock { $0 } }
        func change(_ edit: (inout State) -> Void) { state.withLock { edit(&$0) } }
    }

    private struct Writer {
        let client: HTTPAPIClient
        let ledger: Ledger
        var random: SeededRandom
        var own: [(id: String, collection: String)] = []

        mutating func step() async throws {
            let teams = ledger.current.teams
            switch Int.random(in: 0..<10, using: &random) {
            case 0, 1: try await create(Team(name: "team"))
            case 2...6:
                guard let team = teams.randomElement(using: &random) else { return }
                switch Int.random(in: 0..<3, using: &random) {
                case 0: try await create(Shift(title: "shift", team: team))
                case 1: try await create(Badge(code: UUIDv7.string(at: Date()), team: team))
                default: try await create(Locker(label: "locker", team: team))
                }
            case 7: if let team = teams.randomElement(using: &random) { try await delete(team) }
            case 8:
                guard let row = own.randomElement(using: &random), let team = teams.randomElement(using: &random) else {
                    return
                }
                switch row.collection {
                case "shifts": try await move(Shift.ID(row.id), to: team)
                case "badges": try await move(Badge.ID(row.id), to: team)
                default: try await move(Locker.ID(row.id), to: team)
                }
            default:
                guard let row = own.popLast() else { return }
                switch row.collection {
                case "shifts": try await delete(Shift.ID(row.id))
                case "badges": try await delete(Badge.ID(row.id))
                default: try await delete(Locker.ID(row.id))
                }
            }
        }

        private mutating func create<Content: Entity>(_ content: Content) async throws {
            let id = Identifier<Content>(UUIDv7.string(at: Date()))
            let client = client
            let isDone = try await write {
                try await client.send(CreateEntity(content, id: id))
            } or: {
                try await client.push(.create, id, content.wireFields())
            }
            guard isDone else { return }
            ledger.change { $0.created.insert(id.rawValue) }
            if Content.self == Team.self {
                ledger.change { $0.teams.append(Team.ID(id.rawValue)) }
            } else {
                own.append((id.rawValue, Content.collection))
            }
        }

        private mutating func move<Content: Entity>(_ id: Identifier<Content>, to team: Team.ID) async throws {
            let client = client
            let base = try? await client.send(GetEntity<Content>(id: id)).version
            let fields: [String: JSONValue] = ["team": .string(team.rawValue)]
            _ = try await write {
                try await client.send(PatchEntity<Content>(id: id, ifMatch: nil, fields))
            } or: {
                try await client.push(.patch, id, base: base ?? 1, fields)
            }
        }

        private mutating func delete<Content: Entity>(_ id: Identifier<Content>) async throws {
            ledger.change { $0.deleted.insert(id.rawValue) }
            let client = client
            let base = try? await client.send(GetEntity<Content>(id: id)).version
            _ = try await write {
                try await client.send(DeleteEntity<Content>(id: id, ifMatch: nil))
            } or: {
                try await client.push(.delete, id, base: base)
            }
        }

        /// Whether one of two ways to write, chosen at random, was accepted. A refusal has to have a sentence.
        private mutating func write<Response>(
            _ rest: () async throws -> Response, or sync: () async throws -> MutationResult
        ) async throws -> Bool {
            let refusal: Problem?
            if Bool.random(using: &random) {
                do {
                    _ = try await rest()
                    return true
                } catch let error as NetworkError where error.problem != nil { refusal = error.problem }
            } else {
                let result = try await sync()
                // A conflict shows the present row in the place of a sentence.
                if result.status == .applied { return true }
                if result.status == .conflict { return false }
                refusal = result.error
            }
            let isTold = [404, 409, 422].contains(refusal?.status) && refusal?.detail?.isEmpty == false
            ledger.change {
                $0.refused += 1
                if !isTold || refusal?.detail?.contains("contradicts stored data") == true {
                    $0.untold.append("\(refusal.map { "\($0)" } ?? "no reason")")
                }
            }
            return false
        }
    }

    @Test(.timeLimit(.minutes(3)), arguments: [1, 2] as [UInt64])
    func `leave no reference to nothing, lose no write, and are told of each refusal`(seed: UInt64) async throws {
        try await withReferences { backend in
            let (ledger, admin) = (Ledger(), try backend.client(as: "admin"))
            // After a cursor a client hears of deletions, too.
            let start = try await admin.send(PullChanges()).cursor
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<32 {
                    // Administrators may delete the rows that go with a team.
                    let client = try backend.client(as: "admin-\(number)")
                    group.addTask {
                        var writer = Writer(
                            client: client, ledger: ledger, random: SeededRandom(seed: seed &* 1000 &+ UInt64(number)))
                        for _ in 0..<25 { try await writer.step() }
                    }
                }
                try await group.waitForAll()
            }

            let end = ledger.current
            #expect(end.untold == [] && end.refused > 0)
            let dangling = try await backend.store.read { reader in
                try ["shifts", "badges", "lockers"].flatMap { table in
                    try reader.rows(
                        Statement(
                            stringLiteral:
                                "SELECT id FROM \(table) WHERE team IS NOT NULL AND team NOT IN (SELECT id FROM teams)")
                    ).map { try $0.text("id") }
                }
            }
            #expect(dangling == [])

            let changes = try await Self.changes(admin, after: start)
            let live = Set(changes.filter { $0.operation == .put }.map(\.id))
            let gone = Set(changes.filter { $0.operation == .delete }.map(\.id))
            let badges = Set(changes.filter { $0.collection == "badges" }.map(\.id))
            let lost = end.created.filter { !live.contains($0) && !gone.contains($0) }
            #expect(lost.isEmpty, "Acknowledged rows are in the change log, or their tombstones are.")
            let vanished = end.created.filter {
                !live.contains($0) && !end.deleted.contains($0) && !badges.contains($0)
            }
            #expect(vanished.isEmpty, "Only a badge goes without a deletion of its own.")

            // The tables have what clients have.
            let rows = try await backend.store.read { reader in
                try ["teams", "shifts", "badges", "lockers"].flatMap { table in
                    try reader.rows(Statement(stringLiteral: "SELECT id FROM \(table)")).map { try $0.text("id") }
                }
            }
            #expect(Set(rows) == live)
        }
    }

    /// Each row or its tombstone.
    private static func changes(_ client: HTTPAPIClient, after start: String) async throws -> [SyncChange] {
        var (changes, cursor): ([SyncChange], String) = ([], start)
        while true {
            let page = try await client.send(PullChanges(cursor: cursor, limit: 1000))
            changes += page.changes
            cursor = page.cursor
            guard page.hasMore else { return changes }
        }
    }
}
