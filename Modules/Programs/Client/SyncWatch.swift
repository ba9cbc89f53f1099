import StrataDomain
import StrataOffline
import StrataTerminal
import StrataTokens

/// The loop of `sync --watch`; it also runs after a login of another process.
struct SyncWatch: Sendable {
    let engine: @Sendable (_ onProgress: @escaping @Sendable (SyncProgress) -> Void) -> SyncEngine
    /// Made on first use.
    let connectivity: @Sendable () -> any ConnectivityMonitor
    let localWrites: @Sendable () -> AsyncStream<Void>
    /// The session as it is stored now.
    let profile: ProfileTokenStore
    /// The owner of the rows; `nil` without a login.
    let account: SessionAccount?
    /// Its name, for messages.
    let program: String

    /// - Throws: `.unauthorized` without a login at the start, `.conflict` when another user logs in later.
    func run(_ tell: @escaping @Sendable (SyncWatchEvent) -> Void) async throws {
        guard let account else {
            throw DomainError.unauthorized("Not logged in; run '\(program) login', then start this again.")
        }
        let loop = SyncLoop(
            engine: engine { tell(.progress($0)) }, connectivity: connectivity(), localWrites: localWrites
        ) { event in
            switch event {
            case .started: break
            case .synchronised(let report): tell(.synchronised(report))
            case .failed(let error): tell(.failed(error))
            case .waiting(let phase, let wait): tell(.waiting(phase: phase.rawValue, wait))
            }
        }
        try await withThrowingTaskGroup { group in
            group.addTask { await loop.run() }
            group.addTask { try await profile.watchLogins(of: account) { loop.notify(.signedIn) } }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}
