import RunbooksAPI
import RunbooksDomain
import StrataCaching
import StrataDomain

extension CachedRunbookRepository {
    /// How long a runbook counts as last shown: 90 days, because an outage or a holiday may precede the update.
    private static let shownLifetime = Duration.seconds(90 * 86_400)

    /// The list; during an outage also one that a write made stale.
    func list(_ policy: ReadPolicy) async throws(DomainError) -> Snapshot<[RunbookPayload]> {
        do throws(DomainError) {
            return try await reader.read([RunbookPayload].self, keys.list, policy: policy, tags: [RunbookKeys.tag]) {
                () throws(DomainError) in try await RunbookPages(client: client).all()
            }
        } catch {
            guard error.isOutage, let outdated = await outdatedList() else { throw error }
            return Snapshot(outdated.runbooks, .stale(storedAt: outdated.storedAt, reason: error.description))
        }
    }

    /// The runbook; during an outage also from the stored list, or as last shown.
    func item(_ id: Runbook.ID, _ policy: ReadPolicy) async throws(DomainError) -> Snapshot<RunbookPayload> {
        let key = try keys.item(id)
        do throws(DomainError) {
            return try await reader.read(RunbookPayload.self, key, policy: policy, tags: [RunbookKeys.tag]) {
                () throws(DomainError) in
                do throws(NetworkError) { return try await client.send(GetRunbook(id: id)) } catch {
                    throw .runbooks(error, about: id)
                }
            }
        } catch {
            if case .notFound = error { await reader.invalidate(keys.shown(id)) }
            guard error.isOutage, let kept = await fallback(id, because: error) else { throw error }
            return kept
        }
    }

    private func fallback(_ id: Runbook.ID, because error: DomainError) async -> Snapshot<RunbookPayload>? {
        if let list = try? await list(.cacheOnly), let payload = list.value.first(where: { $0.id == id }) {
            return list.with(payload).stale(error.description)
        }
        return await shown(id)?.stale(error.description)
    }

    func shown(_ id: Runbook.ID) async -> Snapshot<RunbookPayload>? {
        try? await reader.read(RunbookPayload.self, keys.shown(id), policy: .cacheOnly) { () throws(DomainError) in
            throw .noRunbook(id)
        }
    }

    /// Stores the runbook as last shown.
    func remember(_ payload: RunbookPayload) async {
        guard await shown(payload.id)?.value != payload else { return }
        await reader.keep(payload, for: keys.shown(payload.id), lifetime: Self.shownLifetime)
    }
}

extension Snapshot {
    /// The same value, marked as stale.
    fileprivate func stale(_ reason: String) -> Snapshot {
        switch origin {
        case .server, .local: self
        case .cache(let storedAt), .stale(let storedAt, _): Snapshot(value, .stale(storedAt: storedAt, reason: reason))
        }
    }
}
