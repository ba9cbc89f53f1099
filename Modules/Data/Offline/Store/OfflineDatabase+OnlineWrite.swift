import GRDB
public import StrataDomain

/// Writes that went straight to the server, for `undo`. They belong to no row of the store, so its owner does not matter here.
extension OfflineDatabase {
    /// Notes a write that the server has made; an earlier one is not undone any more.
    ///
    /// - Parameters:
    ///   - server: The origin of the server.
    ///   - account: The id of the account there; `nil` without a login.
    /// - Throws: `.storage` when the file cannot be written; the record is as it was.
    public func note(_ write: OnlineWrite, server: String, account: String?) async throws(DomainError) {
        let online = AccountWrite(write: write, server: server, account: account)
        try await self.write(.small) { try LastWrite(online).store($0) }
    }

    /// Removes the values that a write at the server replaced, as caches are cleared when the account changes. That it was the last
    /// write stays known.
    ///
    /// - Parameters:
    ///   - server: The origin of the server of the login.
    ///   - account: Keeps the values of its own write; `nil` keeps none.
    public func forgetOnlineWrite(unlessOf account: String?, at server: String) async throws(DomainError) {
        // Reads first: a write waits for other processes.
        guard try await read({ try LastWrite.read($0)?.online }) != nil else { return }
        try await write { db in
            guard var last = try LastWrite.read(db), let online = last.online,
                account == nil || online.account != account || online.server != server
            else { return }
            last.online = nil
            last.obstacle =
                "The last write was \(online.write.name), straight at the server. A logout or another login has removed what undoing it "
                + "needs."
            try last.store(db)
        }
    }

    /// Takes the last write out of the record, so that two processes do not both undo it.
    ///
    /// - Returns: `nil` when the last write was made in the store, or there is none; nothing is changed then.
    /// - Throws: `.conflict` for a write that the account cannot take back; it stays in the record.
    fileprivate func takeOnlineWrite(server: String, account: String?) async throws(DomainError) -> AccountWrite? {
        try await write { db in
            guard let last = try LastWrite.read(db), let online = last.online else { return nil }
            if online.write.isImport, let obstacle = last.obstacle { throw DomainError.conflict(obstacle) }
            guard online.server == server, online.account == account else {
                throw DomainError.conflict(
                    "The last write was \(online.write.name), with another login at \(online.server); only that login can undo it."
                )
            }
            try LastWrite.forget(db)
            return online
        }
    }

    /// Notes a write again that could not be taken back, unless there is a later one.
    fileprivate func putBack(_ online: AccountWrite) async throws(DomainError) {
        try await write { db in if try LastWrite.read(db) == nil { try LastWrite(online).store(db) } }
    }
}

extension OfflineStore {
    /// Takes back the last write, wherever it was made: one that went straight to the server by `takeBack`.
    ///
    /// - Parameters:
    ///   - server: The origin of the server.
    ///   - account: The id of the account there; `nil` without a login.
    ///   - settle: Waits a short time for the inverse of a write of this store to reach the server. Default: does not wait.
    ///   - takeBack: Sends the inverse. What it throws leaves the write the last one.
    /// - Throws: `.notFound` when there is no write to undo; `.conflict` when its row was changed since, or it cannot be taken back.
    public func undo(
        server: String, account: String?, settle: @Sendable () async -> Void = {},
        takeBack: @Sendable (OnlineWrite) async throws(DomainError) -> UndoneWrite
    ) async throws(DomainError) -> UndoneWrite {
        guard let online = try await database.takeOnlineWrite(server: server, account: account) else {
            return try await undo(settle: settle)
        }
        do throws(DomainError) { return try await takeBack(online.write) } catch {
            // A task of its own, so that Ctrl-C does not cancel it.
            await Task { [database] in try? await database.putBack(online) }.value
            throw error
        }
    }
}
