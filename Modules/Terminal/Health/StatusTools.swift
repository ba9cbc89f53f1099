public import StrataDomain

/// What `status` and `doctor` ask.
public struct StatusTools: Sendable {
    /// The address of the server.
    public var server: String
    /// The name of the profile.
    public var profile: String
    /// The name of the account; `nil` without a login at this server.
    public var username: String?
    /// The session of the account.
    public var tokens: any TokenStore
    /// Sends no credentials.
    public var client: any APIClient
    /// The cache of the profile.
    public var cache: any CacheMaintenance
    /// The name of the local data in the output: `notes`.
    public var dataName: String
    /// Opens the local data; `nil` where no feature works offline.
    public var data: (@Sendable () async throws -> LocalDataTools)?

    /// What commands about synchronisation answer where nothing is synchronised.
    public static let nothingOffline = "No feature of this service works offline, so there is nothing to synchronise."

    /// Tools that look at the state of a profile.
    public init(
        server: String, profile: String, username: String?, tokens: any TokenStore, client: any APIClient,
        cache: any CacheMaintenance, dataName: String, data: (@Sendable () async throws -> LocalDataTools)?
    ) {
        self.server = server
        self.profile = profile
        self.username = username
        self.tokens = tokens
        self.client = client
        self.cache = cache
        self.dataName = dataName
        self.data = data
    }

    /// Whether the account is logged in, and where the tokens are or why they cannot be read.
    func session() async -> Result<Bool, TokenStoreError> {
        do throws(TokenStoreError) { return .success(try await tokens.read() != nil) } catch { return .failure(error) }
    }
}

/// The local data of a profile, as `status` and `doctor` see it.
public struct LocalDataTools: Sendable {
    /// The path of its file.
    public var path: String
    /// The synchronisation of the local data.
    public var sync: any SyncService
    /// Counts the rows that only the server has, up to 1000; `nil` before the first synchronisation.
    public var countRemoteChanges: @Sendable () async throws -> Int?
    /// Reads everything; fails when it is damaged or cannot be written.
    public var check: @Sendable () async throws -> Void
    /// Compares all rows with the server's, and returns how many were repaired; `nil` where no server may be asked.
    public var verify: (@Sendable () async throws(DomainError) -> Int)?

    /// `verify` is `nil`.
    public init(
        path: String, sync: any SyncService, countRemoteChanges: @escaping @Sendable () async throws -> Int?,
        check: @escaping @Sendable () async throws -> Void
    ) {
        self.path = path
        self.sync = sync
        self.countRemoteChanges = countRemoteChanges
        self.check = check
    }
}
