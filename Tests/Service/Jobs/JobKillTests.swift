import FoundationEssentials
import StrataFeatureTesting
import StrataTesting
import Testing

@testable import StrataService

/// A replica ends between any two steps, and another one goes on.
@Suite(.timeLimit(.minutes(5))) struct JobKillTests {
    /// When the replica ends, seen from one of its commits.
    enum Moment: CaseIterable {
        case before
        /// The commit is in the database, and the replica does not know it.
        case after
    }

    @Test(arguments: StoreEngine.all, Moment.allCases)
    func `each effect happens exactly once and in order, wherever a replica ends`(
        _ engine: StoreEngine, _ moment: Moment
    ) async throws {
        var (wasHit, commits) = (true, 0)
        while wasHit {
            try #require(commits < 200, "the replica makes a bounded number of commits")
            let place = commits
            wasHit = try await run(engine, endingAt: place, moment)
            commits += 1
        }
        // Sorting, taking and finishing, each at least once.
        #expect(commits > 6)
    }

    /// - Returns: Whether the first replica came as far as its commit number `place`.
    private func run(_ engine: StoreEngine, endingAt place: Int, _ moment: Moment) async throws -> Bool {
        let isHit = Shared(false)
        try await withJobs(engine) { rig in
            let texts = ["1", "2", "3"]
            for text in texts { try await rig.enqueue(Memo(text, key: "k"), Memo(text)) }
            let mortal = MortalStore(base: rig.store, place: place, moment)
            let options = JobOptions(workers: 2)
            do { try await rig.runner([.storing()], on: mortal, options: options).settle() } catch is JobLeaseLost {}
            isHit.change { $0 = mortal.isDead }
            let heir = try rig.runner([.storing()], options: options)
            for _ in 0..<4 {
                try await heir.settle()
                try await heir.beat()
                rig.clock.advance(by: .seconds(10))
            }
            try await heir.beat()
            try await heir.settle()
            #expect(try await rig.effects(of: "k") == texts, "commit \(place), \(moment)")
            #expect(try await rig.effects().sorted() == texts, "commit \(place), \(moment)")
            #expect(try await rig.states().isEmpty, "commit \(place), \(moment)")
        }
        return isHit.value
    }
}

/// The store of a replica that ends at one of its commits; what it does afterwards has no effect.
private struct MortalStore: Store {
    let base: any Store
    let place: Int
    let moment: JobKillTests.Moment
    private let commits = Shared(0)
    private let death = Shared(false)

    init(base: any Store, place: Int, _ moment: JobKillTests.Moment) {
        (self.base, self.place, self.moment) = (base, place, moment)
    }

    var isDead: Bool { death.value }
    var hasConcurrentWriters: Bool { base.hasConcurrentWriters }

    /// Ends every loop of the runner at once.
    private var end: JobLeaseLost { JobLeaseLost(JobLease(id: "ended", attempt: 0, key: nil)) }

    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreReader) throws -> Result
    ) async throws -> Result {
        guard !isDead else { throw end }
        return try await base.read(body)
    }

    @discardableResult func write<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Result
    ) async throws -> Result {
        guard !isDead else { throw end }
        let number = commits.change { count in
            defer { count += 1 }
            return count
        }
        guard number == place else { return try await base.write(body) }
        if moment == .before {
            death.change { $0 = true }
            throw end
        }
        _ = try await base.write(body)
        death.change { $0 = true }
        throw end
    }

    func migrate(_ migrations: [StoreMigration]) async throws { try await base.migrate(migrations) }
}
