/// What a list has beside its rows: what keeps it current, and what the rows of an offline store have.
public struct ListUpkeep: Sendable {
    /// Reads how far the rows here are behind the server.
    public typealias ReadStatus = @Sendable () async throws(DomainError) -> SyncStatus
    /// Brings the rows here up to date with the server.
    public typealias Refresh = @Sendable () async throws(DomainError) -> Void
    /// - Parameter id: Of the entity.
    public typealias ReadDetails = @Sendable (_ id: String) async throws(DomainError) -> [EntityDetail]

    /// Whether the server can be expected to be reached; asked when a list is followed.
    public var connectivity: @Sendable () -> any ConnectivityMonitor
    /// Runs while a list is followed, such as the loop that synchronises. It may end before; an error ends the following.
    public var work: @Sendable () async throws -> Void
    /// How far the rows here are behind the server; `nil` for rows that are not in an offline store. Default: `nil`.
    public var status: ReadStatus?
    /// Synchronises once and without retries, because a user waits. It throws where the server may not be asked. Default: `nil`, for a
    /// list whose load asks the server.
    public var refresh: Refresh?
    /// The conflicts of the rows; `nil` where there can be none. Default: `nil`.
    public var conflicts: (any ConflictInbox)?
    /// What belongs to one entity besides its fields, such as its files; `nil` where nothing does. Default: `nil`.
    public var details: ReadDetails?

    /// - Parameters:
    ///   - connectivity: Default: always online.
    ///   - work: Default: none.
    public init(
        connectivity: @escaping @Sendable () -> any ConnectivityMonitor = { FixedConnectivity(.online) },
        work: @escaping @Sendable () async throws -> Void = {}
    ) {
        self.connectivity = connectivity
        self.work = work
    }
}

/// Lines about an entity, under a title: `attachments`.
public struct EntityDetail: Sendable, Hashable {
    /// What the lines are about.
    public var title: String
    /// One text a line.
    public var lines: [String]

    /// Lines under a title.
    public init(_ title: String, _ lines: [String]) { (self.title, self.lines) = (title, lines) }
}
