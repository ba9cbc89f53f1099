import FoundationEssentials
public import Logging
public import StrataDomain
import StrataSystem

/// Pushes the outbox, then pulls the changes, over one API client.
///
/// One engine works on a database at a time, over all processes. Every step is a transaction of its own, so a run may be
/// killed at any point and the next one continues. An entry that was sent without a response is sent again under its id.
public struct SyncEngine: SyncService, SyncPart {
    /// How an engine works.
    public struct Settings: Sendable, Hashable {
        /// Rows in a page, 1 to 1000. Default: 500.
        public var pageSize: Int
        /// Rows between two positions of a snapshot at which it can be resumed, 1 to 10000, the default.
        public var snapshotRows: Int
        /// Mutations in a request, 1 to `MutationBatch.limit`, the default.
        public var batchSize: Int
        /// How long to wait for another process that is synchronising. Default: 15 s.
        public var lockWait: Duration
        /// A store of up to this many rows is compared with the server and with itself in every run that does not say
        /// otherwise; a larger one when `verify` is called. Default: 2000.
        public var verifiedRows: Int

        /// The standard settings, but for those that are given. A number outside of its range is moved to the nearest
        /// in it.
        public init(
            pageSize: Int = 500, batchSize: Int = MutationBatch.limit, lockWait: Duration = .seconds(15),
            verifiedRows: Int = 2000, snapshotRows: Int = 10_000
        ) {
            self.pageSize = min(max(pageSize, 1), 1000)
            self.batchSize = min(max(batchSize, 1), MutationBatch.limit)
            self.snapshotRows = min(max(snapshotRows, 1), 10_000)
            self.lockWait = lockWait
            self.verifiedRows = verifiedRows
        }
    }

    /// Which entries a run sends.
    public enum Effort: Sendable, Hashable {
        /// All that wait: a user asked for it, or the connection has just come back.
        case now
        /// Those whose back-off is over: a timer asked for it.
        case whenDue
    }

    let context: SyncContext
    let remote: any SyncRemote

    /// - Parameter onProgress: Called after each request that sent or brought something; it must not wait.
    public init(
        database: OfflineDatabase, client: any APIClient, settings: Settings = Settings(),
        clock: any Clock<Duration> = ContinuousClock(), wallClock: any WallClock = SystemWallClock(),
        random: RandomSource = RandomSource(), log: Logger = Logger(label: "strata.offline"),
        onProgress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
    ) {
        context = SyncContext(
            database: database, settings: settings, clock: clock, wallClock: wallClock, random: random, log: log,
            onProgress: onProgress)
        remote = StrataRemote(client: client, context: context)
    }

    init(_ context: SyncContext, _ remote: any SyncRemote) { (self.context, self.remote) = (context, remote) }

    public func sync() async throws(DomainError) -> SyncReport { try await sync(.now) }

    /// - Throws: What `SyncService.sync` throws; `.busy` when another process has been synchronising for too long.
    ///
    /// - Parameters:
    ///   - direction: Default: `.both`.
    ///   - verifying: Whether a small store is also compared with the server and with itself, see `verify`.
    public func sync(
        _ effort: Effort, _ direction: SyncDirection = .both, verifying: Bool = true
    ) async throws(DomainError) -> SyncReport {
        // No feature of this program works offline.
        if database.collections.isEmpty { return SyncReport() }
        let lease = try await lock()
        defer { withExtendedLifetime(lease) {} }
        return try await run(effort, direction, verifying: verifying)
    }

    /// Pushes and pulls, unless another run is still under way after `Settings.lockWait`. Compares nothing: a command that
    /// has just written a row does not wait until every row was read.
    ///
    /// - Returns: `nil` when there is another run: it, or the next one, sends what is queued.
    func syncIfFree() async throws(DomainError) -> SyncReport? {
        if database.collections.isEmpty { return SyncReport() }
        guard let lease = try await lease() else { return nil }
        defer { withExtendedLifetime(lease) {} }
        return try await run(.now, .both, verifying: false)
    }

    private func run(
        _ effort: Effort, _ direction: SyncDirection, verifying: Bool
    ) async throws(DomainError) -> SyncReport {
        let report = try await exchange(effort, direction, verifying: verifying)
        do { try await database.gate.erase() } catch {
            log.warning(
                "Deleted rows are still in the file; the next run removes them.", metadata: ["reason": "\(error)"])
        }
        return report
    }

    private func exchange(
        _ effort: Effort, _ direction: SyncDirection, verifying: Bool
    ) async throws(DomainError) -> SyncReport {
        var report = SyncReport()
        if direction == .pull {
            try await remote.pull(&report)
            return report
        }
        if try await push(effort, &report) == .serverReplaced {
            // The writes are based on versions from before a restore of the server: pull the present rows, rebase the writes,
            // and send them then.
            if direction == .push { throw Self.replaced }
            _ = try await remote.pull(&report)
            if try await push(.now, &report) == .serverReplaced {
                throw Self.replaced
            }
        }
        if direction == .push { return report }
        let upTo = try await pullAndSend(&report)
        if try await status().hidden > 0 { try await access { try $0.showHidden() } }
        if verifying, try await isWorthVerifying() { _ = try await verify(upTo: upTo) }
        log.debug("Synchronised.", metadata: ["pushed": "\(report.pushed)", "pulled": "\(report.pulled)"])
        return report
    }

    /// Fetches and stores all changes.
    @discardableResult
    func pull(_ report: inout SyncReport) async throws(DomainError) -> Int? { try await remote.pull(&report) }

    private static let replaced = DomainError.busy(
        "The server's data is being replaced; the queued writes stay queued. Synchronise again.")

    /// Pulls, and sends the rows that were merged, until a pull merges no more.
    private func pullAndSend(_ report: inout SyncReport) async throws(DomainError) -> Int? {
        for _ in 0..<Self.rounds {
            let merged = report.merged
            let upTo = try await remote.pull(&report)
            guard report.merged > merged else { return upTo }
            if try await push(.whenDue, &report) == .serverReplaced { break }
        }
        return try await remote.pull(&report)
    }

    /// Merges of one row in one run. A row that another user edits all the time waits for the next run.
    private static let rounds = 3

    public func status() async throws(DomainError) -> SyncStatus { try await database.syncStatus() }

    /// A second engine waits for the first, then makes a run of its own, with the last write of its caller.
    func lock() async throws(DomainError) -> any AnyObject & Sendable {
        if let lease = try await lease() { return lease }
        throw .busy(
            "Another process has been synchronising '\(database.path)' for \(settings.lockWait.components.seconds) s; "
                + "that run or the next one sends the queued writes.")
    }

    /// - Returns: `nil` when another run was under way all the time.
    private func lease() async throws(DomainError) -> (any AnyObject & Sendable)? {
        do {
            return try await database.gate.lease(within: settings.lockWait, on: clock)
        } catch let error as Errno {
            throw DomainError(file: error, at: "\(database.path).sync-lock")
        } catch {
            throw DomainError(error)
        }
    }
}

/// What a run does.
public enum SyncDirection: String, Sendable, Hashable, CaseIterable {
    /// Sends, then fetches.
    case both
    /// Sends only.
    case push
    /// Fetches only. Rows with unsent writes are merged, and what is merged waits for a run that sends.
    case pull
}
