/// What keeps a followed list current, besides reading it again.
public struct ListUpkeep: Sendable {
    /// Whether the server can be expected to be reached; asked when a list is followed.
    public var connectivity: @Sendable () -> any ConnectivityMonitor
    /// Runs while a list is followed, such as the loop that synchronises. It may end before; an error ends the following.
    public var work: @Sendable () async throws -> Void

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
