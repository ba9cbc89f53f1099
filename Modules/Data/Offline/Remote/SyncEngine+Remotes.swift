import Logging
import StrataDomain

extension SyncEngine {
    /// An engine in front of other APIs.
    ///
    /// - Parameters:
    ///   - remotes: By the name of the collection; a collection without one is neither sent nor fetched.
    ///   - pulling: Limits of reading.
    init(
        database: OfflineDatabase, client: any APIClient, remotes: [String: any RemoteCollection],
        pulling: PullLimits = PullLimits(), settings: Settings = Settings(),
        clock: any Clock<Duration> = ContinuousClock(), wallClock: any WallClock = SystemWallClock(),
        random: RandomSource = RandomSource(), log: Logger = Logger(label: "strata.offline"),
        onProgress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
    ) {
        let context = SyncContext(
            database: database, settings: settings, clock: clock, wallClock: wallClock, random: random, log: log,
            onProgress: onProgress)
        self.init(context, RESTRemote(client: client, remotes: remotes, limits: pulling, context: context))
    }
}
