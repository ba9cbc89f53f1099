import FoundationEssentials
import StrataDomain
import StrataOffline
import StrataTerminal

/// The loop behind `sync --watch`, with the reasons to run that only a process can see.
struct SyncWatchWiring: Sendable {
    let engine: @Sendable (_ onProgress: @escaping @Sendable (SyncProgress) -> Void) -> SyncEngine
    /// Made when it is asked for.
    let connectivity: @Sendable () -> any ConnectivityMonitor
    let localWrites: @Sendable () -> AsyncStream<Void>
    let accountFile: AccountFile
    /// Whose rows they are; `nil` while nobody is logged in.
    let account: Account?

    /// How often somebody else's login is looked for.
    private static let glance = Duration.seconds(1)

    /// - Throws: `.unauthorized` when nobody is logged in at the start, `.conflict` when somebody else logged in meanwhile.
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

    /// Rings after each login of the same person. A login writes the file anew.
    private func notice(logins loop: SyncLoop, _ account: Account) async throws {
        var known = accountFile.stamp
        while (try? await Task.sleep(for: Self.glance)) != nil {
            let stamp = accountFile.stamp
            guard stamp != known, let now = try accountFile.read() else { continue }
            known = stamp
            guard now.userId == account.userId, now.server == account.server, now.tokens == account.tokens else {
                throw DomainError.conflict(
                    "The login of this profile has changed to '\(now.username)' at \(now.server); start this again.")
            }
            loop.notify(.signedIn)
        }
    }
}

/// Sends nothing once somebody else has logged in with the profile: their token must not carry another's writes.
struct AccountClient: APIClient {
    let base: any APIClient
    let accountFile: AccountFile
    let account: Account?

    func response<E: Endpoint>(
        to endpoint: E, options: CallOptions
    ) async throws(NetworkError) -> APIResponse<E.Response> {
        try check()
        return try await base.response(to: endpoint, options: options)
    }

    func stream<E: Endpoint, Result: Sendable>(
        _ endpoint: E, options: CallOptions,
        receive:
            @escaping @Sendable (ResponseHead, any AsyncSequence<Data, any Error> & Sendable) async throws -> Result
    ) async throws(NetworkError) -> Result {
        try check()
        return try await base.stream(endpoint, options: options, receive: receive)
    }

    private func check() throws(NetworkError) {
        guard let account else { return }
        let now: Account?
        do throws(DomainError) { now = try accountFile.read() } catch {
            throw NetworkError(.storage(error.description))
        }
        // Missing during a login, and after a logout.
        guard let now, now.userId == account.userId, now.server == account.server else {
            throw NetworkError(
                .unauthorized(
                    Problem(
                        title: "Not logged in", status: 401,
                        detail: "'\(account.username)' is not logged in any more; run 'shiftlog login'.")))
        }
    }
}
