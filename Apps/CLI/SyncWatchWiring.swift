import FoundationEssentials
import StrataDomain
import StrataOffline
import StrataTerminal
import StrataTokens

/// The loop of `sync --watch`, with the events of this process that trigger a run.
struct SyncWatchWiring: Sendable {
    let engine: @Sendable (_ onProgress: @escaping @Sendable (SyncProgress) -> Void) -> SyncEngine
    /// Created on first use.
    let connectivity: @Sendable () -> any ConnectivityMonitor
    let localWrites: @Sendable () -> AsyncStream<Void>
    /// The stored session.
    let profile: ProfileTokenStore
    /// The account of the rows; `nil` while no user is logged in.
    let account: SessionAccount?

    /// Interval of the check for a login of another process.
    private static let glance = Duration.seconds(1)

    /// - Throws: `.unauthorized` without a login at the start, `.conflict` after a login of another account.
    func run(_ tell: @escaping @Sendable (SyncWatchEvent) -> Void) async throws {
        guard let account else {
            throw DomainError.unauthorized("Nobody is logged in; run 'shiftlog login', then start this again.")
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
            group.addTask { try await notice(logins: loop, account) }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// Signals each login of the same account.
    private func notice(logins loop: SyncLoop, _ account: SessionAccount) async throws {
        var known: SessionAccount? = account
        while (try? await Task.sleep(for: Self.glance)) != nil {
            guard let now = try await profile.account(), now != known else { continue }
            known = now
            guard account.isSamePerson(as: now) else {
                throw DomainError.conflict(
                    "The login of this profile has changed to '\(now.username)' at \(now.server); start this again.")
            }
            loop.notify(.signedIn)
        }
    }
}

extension ProfileTokenStore {
    /// The account of the stored session; `nil` without a login.
    fileprivate func account() async throws(DomainError) -> SessionAccount? {
        do throws(TokenStoreError) { return try await session()?.account } catch { throw .storage(error.description) }
    }
}
