import FoundationEssentials
import RunbooksAPI
package import RunbooksDomain
import StrataCaching
package import StrataDomain

extension CachedRunbookRepository {
    package func create(_ draft: RunbookDraft) async throws(DomainError) -> Runbook {
        let key = UUIDv7.string(at: clock.now)
        return try await writing(nil) { () throws(NetworkError) in
            try await client.send(
                CreateRunbook(draft: RunbookDraftPayload(draft)), options: CallOptions(idempotencyKey: key))
        }
    }

    package func update(
        _ id: Runbook.ID, to draft: RunbookDraft, basedOn version: Int
    ) async throws(DomainError) -> Runbook {
        _ = try keys.item(id)
        let call = UpdateRunbook(id: id, ifMatch: EntityTag(version: version), draft: RunbookDraftPayload(draft))
        let key = UUIDv7.string(at: clock.now)
        return try await writing(id) { () throws(NetworkError) in
            try await client.send(call, options: CallOptions(idempotencyKey: key))
        }
    }

    package func delete(_ id: Runbook.ID, basedOn version: Int) async throws(DomainError) {
        _ = try keys.item(id)
        let call = DeleteRunbook(id: id, ifMatch: EntityTag(version: version))
        let key = UUIDv7.string(at: clock.now)
        try await invalidating(id) { () throws(NetworkError) in
            _ = try await client.send(call, options: CallOptions(idempotencyKey: key))
        } noting: { list, _ in
            list.remove(id)
        }
        await reader.invalidate(keys.shown(id))
    }

    /// The runbook in the response of a write, stored as shown.
    private func writing(
        _ id: Runbook.ID?, _ call: () async throws(NetworkError) -> RunbookPayload
    ) async throws(DomainError) -> Runbook {
        let payload = try await invalidating(id, call) { list, payload in list.put(payload) }
        if let key = try? keys.item(payload.id) { await reader.keep(payload, for: key, tags: [RunbookKeys.tag]) }
        await remember(payload)
        return payload.runbook
    }

    /// Invalidates the cache, unless the request was certainly not sent. After a lost response the server may have changed the
    /// runbook, and after a 412 the stored copy is old.
    private func invalidating<Result: Sendable>(
        _ id: Runbook.ID?, _ call: () async throws(NetworkError) -> Result,
        noting change: @escaping @Sendable (inout OutdatedList, Result) -> Void
    ) async throws(DomainError) -> Result {
        do throws(NetworkError) {
            let result = try await call()
            await outdate { change(&$0, result) }
            return result
        } catch {
            if !error.isUnsent { await outdate() }
            throw .runbooks(error, about: id, isWrite: true)
        }
    }
}
