public import StrataDomain

extension SyncEngine {
    /// The number of rows that are newer at the server. Stores nothing.
    ///
    /// - Returns: At most 1000, which means 1000 or more; `nil` for all rows, before the first run or after the
    ///   server's data was replaced, and for an API of which this is not known.
    /// - Throws: What `sync` throws.
    public func remoteChangeCount() async throws(DomainError) -> Int? { try await remote.changeCount() }

    /// Whether a row is newer at the server. The server may hold the request until one is.
    ///
    /// Stores nothing and holds no lease, so other processes can synchronise.
    func hasRemoteChanges(within seconds: Int) async throws(DomainError) -> Bool {
        try await remote.hasChanges(within: seconds)
    }
}
