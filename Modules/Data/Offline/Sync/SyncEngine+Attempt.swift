public import StrataDomain

extension SyncEngine {
    /// Sends the writes after `position`, if that takes no longer than `limit`. Then fetches what the time allows.
    ///
    /// - Parameters:
    ///   - position: `OfflineDatabase.lastQueued` before the writes. Entries up to there that fill a request take longer than
    ///     the limit; then nothing is sent.
    ///   - limit: Default: 1.5 s.
    /// - Returns: Why something is still queued; `nil` when everything was sent.
    public func attempt(after position: Int, within limit: Duration = .milliseconds(1500)) async -> UnsentReason? {
        let full = MutationBatch.limit
        if let waiting = try? await database.queuedCount(through: position, limit: full), waiting >= full {
            return .backlog(full)
        }
        let reason = await withTaskGroup(of: UnsentReason?.self) { group in
            group.addTask { await self.attempt() }
            group.addTask { [clock] in
                try? await clock.sleep(for: limit)
                return .slow
            }
            defer { group.cancelAll() }
            return await group.next() ?? .slow
        }
        guard let reason else { return nil }
        // The writes go first: only the pull after them may have failed, or taken too long.
        return (try? await database.queuedCount(through: .max, limit: 1)) == 0 ? nil : reason
    }

    private func attempt() async -> UnsentReason? {
        do throws(DomainError) {
            guard try await syncIfFree() != nil else { return .anotherRun }
            return try await database.queuedCount(through: .max, limit: 1) > 0 ? .notTaken : nil
        } catch {
            return .failed(error)
        }
    }
}
