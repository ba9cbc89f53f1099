import StrataConcurrency
import StrataDomain
import StrataOffline
import StrataTesting
import Testing

struct ProgressTests {
    private let server = FakeSyncServer()

    @Test func `a run reports sent and queued entries after each request, then received rows`() async throws {
        let other = try await Home(server)
        for number in 1...3 { try await other.create("other-\(number)", "x") }
        try await other.sync()
        let home = try await Home(server, seed: 2)
        for number in 1...5 { try await home.create("mine-\(number)", "x") }
        let told = Told()
        let engine = SyncEngine(
            database: home.database, client: home.link, settings: .init(pageSize: 2, batchSize: 2), log: Home.quiet,
            onProgress: { told.add($0) })
        _ = try await engine.sync()
        let sent = told.all.filter { if case .sending = $0 { true } else { false } }
        #expect(sent == [.sending(2, of: 5), .sending(4, of: 5), .sending(5, of: 5)])
        #expect(told.all.prefix(3) == sent[...])
        guard case .receiving(let rows) = told.all.last else { return #expect(Bool(false), "\(told.all)") }
        #expect(rows >= 3)
    }

    @Test func `a run without work reports no progress`() async throws {
        let home = try await Home(server)
        try await home.sync()
        let told = Told()
        let engine = SyncEngine(
            database: home.database, client: home.link, log: Home.quiet, onProgress: { told.add($0) })
        _ = try await engine.sync()
        #expect(told.all.isEmpty)
    }
}

private final class Told: Sendable {
    private let content = Mutex<[SyncProgress]>([])
    var all: [SyncProgress] { content.withLock { $0 } }
    func add(_ progress: SyncProgress) { content.withLock { $0.append(progress) } }
}
