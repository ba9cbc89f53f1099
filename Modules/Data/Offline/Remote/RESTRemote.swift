import FoundationEssentials
import GRDB
import StrataDomain

/// Collections of other APIs, each behind its `RemoteCollection`.
struct RESTRemote: SyncRemote {
    let client: any APIClient
    let remotes: [String: any RemoteCollection]
    let limits: PullLimits
    let shapes: RemoteShapes
    let context: SyncContext

    init(client: any APIClient, remotes: [String: any RemoteCollection], limits: PullLimits, context: SyncContext) {
        (self.client, self.limits, self.context) = (client, limits, context)
        self.remotes = remotes.filter { context.database.collections[$0.key] != nil }
        shapes = RemoteShapes(self.remotes, context.database.collections)
    }

    /// One write is one request, and the next may need the id that this one gets.
    var batchSize: Int { 1 }
    var stopsWithoutAnswer: Bool { false }

    func references(of collection: String) -> [String: String]? {
        remotes[collection] == nil ? nil : shapes[collection].references
    }

    /// Ids and versions of rows say nothing here: the next pull compares the contents.
    func compare(upTo: Int) async throws -> Int { 0 }
    func changeCount() async throws(DomainError) -> Int? { nil }
    func hasChanges(within seconds: Int) async throws(DomainError) -> Bool { false }

    /// Reads without a transaction of its own for writing.
    func look<Value: Sendable>(
        _ work: @Sendable (EntityAccess) throws -> Value
    ) async throws(DomainError) -> Value {
        let (database, random, now) = (database, random, wallClock.now)
        return try await database.read { try work(try database.access($0, random, now: now)) }
    }
}
