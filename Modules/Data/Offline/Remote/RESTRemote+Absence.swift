import FoundationEssentials
import Logging
import StrataDomain

/// Deletions that only show as rows missing from a complete list.
///
/// A list that is read page by page may miss a row that moved meanwhile, and a server may answer with a part. So an absence is confirmed: by looking
/// for the row, or by two lists after another that are equal, between which nothing moved. More absences than `PullLimits` allow wait for a user.
extension RESTRemote {
    func settleAbsent(
        _ source: RemoteSource, _ first: PullRound, _ report: inout SyncReport
    ) async throws {
        let (name, limits) = (source.name, limits)
        var (absent, live) = try await absent(from: first, name)
        let asks = limits.asks(about: absent.count, of: live, listed: first.rows.count)
        let held = asks ? Set(absent) : []
        try await access { access in
            for var link in try access.remotes.links(of: name) where link.isMissing != held.contains(link.remoteID) {
                link.isMissing.toggle()
                try access.remotes.set(link, in: name)
            }
        }
        if absent.isEmpty { return }
        if asks {
            log.warning(
                "The list lacks many rows; they stay until a user confirms that they are deleted.",
                metadata: ["collection": "\(name)", "rows": "\(absent.count)"])
            return
        }
        if source.remote.abilities.findsByID, absent.count <= limits.lookUps {
            absent = try await lookedUp(absent, source, &report)
        } else {
            var (round, isSure) = (first, false)
            for _ in 0..<Self.lists where !isSure {
                let next = try await collect(source, from: .everything, &report)
                isSure = next.rows == round.rows
                round = next
            }
            guard isSure else {
                log.info("The list changes while it is read; deletions wait.", metadata: ["collection": "\(name)"])
                return
            }
            absent = try await self.absent(from: round, name).absent
        }
        report.add(try await delete(absent, in: name))
    }

    /// Lists of a run that are read to find two equal ones.
    private static let lists = 2

    /// The rows that are here and not in the round, and how many are here.
    private func absent(
        from round: PullRound, _ name: String
    ) async throws(DomainError) -> (absent: [RemoteID], live: Int) {
        try await look { access in
            var (absent, live) = ([RemoteID](), 0)
            for link in try access.remotes.links(of: name) {
                if round.rows[link.remoteID] != nil {
                    live += 1
                    continue
                }
                // Most rows that were deleted long ago have only their link left.
                let key = EntityKey(collection: name, id: link.entityID)
                guard try access.tables.isKnown(key), let local = try access.fetchIntact(key), local.lastRemote != nil
                else { continue }
                live += 1
                absent.append(link.remoteID)
            }
            return (absent.sorted { $0.rawValue < $1.rawValue }, live)
        }
    }

    /// Those that the server does not have; the others are stored.
    private func lookedUp(
        _ ids: [RemoteID], _ source: RemoteSource, _ report: inout SyncReport
    ) async throws -> [RemoteID] {
        var gone: [RemoteID] = []
        let (shape, shapes) = (shapes[source.name], shapes)
        for id in ids {
            if Task.isCancelled { throw NetworkError(.cancelled) }
            if let row = try await source.remote.find(.row(id), with: client).first(where: { $0.id == id }) {
                report.add(try await access { try $0.take(row, RemoteIntake(shape, shapes, $0)) })
            } else {
                gone.append(id)
            }
        }
        return gone
    }

    private func delete(_ ids: [RemoteID], in name: String) async throws(DomainError) -> SyncReport {
        try await access { access in
            var report = SyncReport()
            for id in ids { report.add(try access.takeDeletion(of: id, in: name)) }
            return report
        }
    }
}
