public import StrataDomain

extension SyncEngine {
    /// The result of a short attempt to send the writes of a command.
    public enum Attempt: Sendable, Hashable {
        case sent
        /// At least this many entries are before them; nothing was sent.
        case backlog(Int)
        /// Another process synchronises.
        case anotherRun
        /// The time was over first.
        case slow
        /// The server was asked and has not taken all entries.
        case notTaken
        case failed(DomainError)
    }

    /// Sends the writes after `position`, if that takes no longer than `limit`.
    ///
    /// - Parameters:
    ///   - position: `OfflineDatabase.lastQueued` before the writes. Entries up to there that fill a request take longer than
    ///     the limit; then nothing is sent.
    ///   - limit: Default: 1.5 s.
    public func attempt(after position: Int, within limit: Duration = .milliseconds(1500)) async -> Attempt {
        let full = MutationBatch.limit
        if let waiting = try? await database.queuedCount(through: position, limit: full), waiting >= full {
            return .backlog(full)
        }
        return await withTaskGroup { group in
            group.addTask { await self.attempt() }
            group.addTask { [clock] in
                try? await clock.sleep(for: limit)
                return .slow
            }
            defer { group.cancelAll() }
            return await group.next() ?? .slow
        }
    }

    private func attempt() async -> Attempt {
        do throws(DomainError) {
            guard try await syncIfFree() != nil else { return .anotherRun }
            return try await database.queuedCount(through: .max, limit: 1) > 0 ? .notTaken : .sent
        } catch {
            return .failed(error)
        }
    }
}
