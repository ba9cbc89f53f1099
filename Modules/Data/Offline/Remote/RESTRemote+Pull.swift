import FoundationEssentials
import GRDB
import Logging
import StrataDomain
import StrataSystem

extension RESTRemote {
    /// Reads all collections, those first that others refer to.
    ///
    /// A collection that fails does not keep the others from being read.
    func pull(_ report: inout SyncReport) async throws(DomainError) -> Int? {
        var failure: DomainError?
        for name in shapes.order {
            do throws(DomainError) { try await pull(name, &report) } catch {
                failure = failure ?? error
                if [.unauthorized, .cancelled, .storage].contains(error.kind) { break }
            }
        }
        if let failure { throw failure }
        try await access { access in
            try access.tables.db.cachedStatement(sql: "UPDATE cursor SET last_synced_at = ?")
                .execute(arguments: [access.now.milliseconds])
        }
        return nil
    }

    private func pull(_ name: String, _ report: inout SyncReport) async throws(DomainError) {
        guard let remote = remotes[name] else { return }
        let place = try await look { try $0.remotes.place(of: name) }
        let source = RemoteSource(name: name, remote: remote, place: place)
        do {
            let start = start(of: source)
            do { try await read(source, from: start, &report) } catch let error as NetworkError {
                guard case .cursor = start, case .status(410, _) = error.kind else { throw error }
                log.info("The cursor has expired; everything is read again.", metadata: ["collection": "\(name)"])
                let place = try await look { try $0.remotes.place(of: name) }
                try await read(
                    RemoteSource(name: name, remote: remote, place: place), from: .everything, &report)
            }
        } catch {
            throw DomainError(error)
        }
    }

    /// Where to start: changes only, if the API can tell and the last complete list is recent enough.
    private func start(of source: RemoteSource) -> PullPoint.Start {
        let (abilities, place) = (source.remote.abilities, source.place)
        guard let checkpoint = place.checkpoint else { return .everything }
        if abilities.deletions == .absentFromFullList, abilities.deltas != .fullList {
            // The wall clock may have been set back.
            let age = place.listedAt.map { wallClock.now.timeIntervalSince($0) } ?? .infinity
            if age < 0 || age >= limits.fullListInterval.inSeconds { return .everything }
        }
        switch abilities.deltas {
        case .fullList: return .everything
        case .cursor: return .cursor(checkpoint)
        case .since(_, let overlap):
            guard let newest = Int64(checkpoint) else { return .everything }
            return .since(Date(milliseconds: newest).addingTimeInterval(-overlap.inSeconds))
        }
    }

    private func read(
        _ source: RemoteSource, from start: PullPoint.Start, _ report: inout SyncReport
    ) async throws {
        let round = try await collect(source, from: start, &report)
        if case .since = start, round.isBehind(source) {
            log.info(
                "The server's clock was set back; everything is read again.", metadata: ["collection": "\(source.name)"]
            )
            return try await read(source, from: .everything, &report)
        }
        if start == .everything { try await settleAbsent(source, round, &report) }
        let deltas = source.remote.abilities.deltas
        try await access { [round] access in
            var place = try access.remotes.place(of: source.name)
            place.pulledAt = access.now
            // A user has reset it meanwhile: the next run starts there.
            if place.hasStart(of: round.place) {
                place.checkpoint = round.checkpoint(after: place.checkpoint, deltas)
                if start == .everything { place.listedAt = access.now }
            }
            try access.remotes.set(place, of: source.name)
        }
    }

    /// Reads every page and stores it. The cursor behind it is stored with its last rows.
    func collect(
        _ source: RemoteSource, from start: PullPoint.Start, _ report: inout SyncReport
    ) async throws -> PullRound {
        var (round, point, pages) = (PullRound(place: source.place), PullPoint(start), Set<String>())
        let began = wallClock.now
        while true {
            if Task.isCancelled { throw NetworkError(.cancelled) }
            let page = try await source.remote.pull(point, with: client)
            try CursorLimit.check(page.checkpoint)
            round.add(page, after: wallClock.now.timeIntervalSince(began))
            report.add(try await store(page, of: source, &round, isWhole: start == .everything))
            if report.pulled > 0 { onProgress(.receiving(report.pulled)) }
            guard let next = page.next else { return round }
            guard pages.insert(next).inserted, pages.count < limits.pages else {
                throw NetworkError(
                    .invalidResponse("the list does not end: page '\(next)' of '\(source.name)' comes again"))
            }
            point.page = next
        }
    }

    /// - Parameter isWhole: Of a complete list, the cursor is stored at its end: a run that was cut off must not go on behind rows that it has not
    ///   read.
    private func store(
        _ page: PullPage, of source: RemoteSource, _ round: inout PullRound, isWhole: Bool
    ) async throws(DomainError) -> SyncReport {
        let (shape, shapes) = (shapes[source.name], shapes)
        var report = SyncReport()
        var rows = page.rows[...]
        // A list of many rows in one response must not keep local writes waiting.
        while rows.count > Self.rowsAtOnce {
            let first = rows.prefix(Self.rowsAtOnce)
            report.add(try await access { try $0.take(first, RemoteIntake(shape, shapes, $0)) })
            rows = rows.dropFirst(first.count)
        }
        let checkpoint = source.remote.abilities.deltas == .cursor && !isWhole ? page.checkpoint : nil
        let (last, known) = (rows, round.place)
        let (stored, place) = try await access { access in
            var report = try access.take(last, RemoteIntake(shape, shapes, access))
            for id in page.deleted { report.add(try access.takeDeletion(of: id, in: shape.name)) }
            var place = known
            if let checkpoint {
                place = try access.remotes.place(of: shape.name)
                if place.hasStart(of: known) {
                    place.checkpoint = checkpoint
                    try access.remotes.set(place, of: shape.name)
                } else {
                    place = known
                }
            }
            return (report, place)
        }
        round.place = place
        report.add(stored)
        return report
    }

    /// Rows in a transaction.
    private static let rowsAtOnce = 1000
}

extension EntityAccess {
    fileprivate func take(_ rows: ArraySlice<RemoteRow>, _ intake: RemoteIntake) throws -> SyncReport {
        var report = SyncReport()
        for row in rows { report.add(try take(row, intake)) }
        return report
    }
}

extension RemoteTables.Place {
    /// Whether the next run would start at the same place.
    fileprivate func hasStart(of other: Self) -> Bool {
        checkpoint == other.checkpoint && listedAt == other.listedAt
    }
}

/// A collection of another API, and how far it was read.
struct RemoteSource: Sendable {
    var name: String
    var remote: any RemoteCollection
    var place: RemoteTables.Place
}

/// What the pages of one round had.
struct PullRound: Sendable {
    /// The rows that were listed, with a hash of the last state of each.
    private(set) var rows: [RemoteID: Int] = [:]
    private(set) var pages = 0
    /// The place in the database, as this round found or left it.
    var place: RemoteTables.Place
    private var cursor: String?
    private var newest: Date?
    /// The server's clock when the round began.
    private var serverTime: Date?
    private var seconds: Double = 0

    init(place: RemoteTables.Place) { self.place = place }

    mutating func add(_ page: PullPage, after seconds: Double) {
        if pages == 0 { serverTime = page.serverTime }
        pages += 1
        for row in page.rows {
            rows[row.id] = row.hashValue
            if let date = row.modifiedAt { newest = max(newest ?? date, date) }
        }
        for id in page.deleted { rows[id] = nil }
        cursor = page.checkpoint ?? cursor
        self.seconds = max(self.seconds, seconds)
    }

    /// Whether the server's clock is behind the checkpoint by more than the overlap: what changed since it was set back has times that the
    /// checkpoint skips.
    func isBehind(_ source: RemoteSource) -> Bool {
        guard case .since(_, let overlap) = source.remote.abilities.deltas, let serverTime,
            let checkpoint = source.place.checkpoint.flatMap(Int64.init)
        else { return false }
        return serverTime.addingTimeInterval(overlap.inSeconds) < Date(milliseconds: checkpoint)
    }

    /// The checkpoint for the next round.
    ///
    /// By time it is never later than the server's clock at the beginning of the round: what changed during the round may stand on a page that was
    /// read before, and a row may have a time in the future. Without that clock, the length of the round is taken off.
    func checkpoint(after old: String?, _ deltas: RemoteAbilities.Deltas) -> String? {
        switch deltas {
        case .fullList: return nil
        case .cursor: return cursor ?? old
        case .since:
            let known = old.flatMap(Int64.init).map(Date.init(milliseconds:))
            guard let latest = [newest, known].compactMap({ $0 }).max() else { return old }
            let limit = serverTime ?? max(latest.addingTimeInterval(-seconds), known ?? .distantPast)
            return String(min(latest, limit).milliseconds)
        }
    }
}
