import StrataDomain

/// The side of the server in a run: how writes are sent, how changes are fetched, how rows are compared.
///
/// `StrataRemote` speaks to Strata's own servers and `RESTRemote` to any other API. Queues, merges, back-off and acknowledgements are the
/// engine's, for both.
protocol SyncRemote: SyncPart {
    /// Entries in a call of `push`.
    var batchSize: Int { get }

    /// Whether a run in which no write was answered, or too many failed, ends there. Where each write is a request of its own, a failure says nothing about the others.
    var stopsWithoutAnswer: Bool { get }

    /// The fields of a collection that refer to rows, with the collections of those. A row is sent after the new rows that it names.
    ///
    /// - Returns: `nil` for a collection that is not sent.
    func references(of collection: String) -> [String: String]?

    /// Sends entries that are marked as sent, given as they were before the mark.
    ///
    /// - Throws: `PushFault` without an answer, and errors of the database.
    func push(_ entries: [OutboxEntry]) async throws -> [PushAnswer]

    /// Fetches and stores all changes. No `push` runs meanwhile.
    ///
    /// - Returns: The version up to which everything is here; `nil` from a server that does not tell.
    @discardableResult
    func pull(_ report: inout SyncReport) async throws(DomainError) -> Int?

    /// Compares the stored rows with the server's, as of `upTo`.
    ///
    /// - Returns: The number of repaired rows.
    func compare(upTo: Int) async throws -> Int

    /// As `SyncEngine.remoteChangeCount`.
    func changeCount() async throws(DomainError) -> Int?
    /// As `SyncEngine.hasRemoteChanges`.
    func hasChanges(within seconds: Int) async throws(DomainError) -> Bool
}

/// The answer to one entry.
enum PushAnswer: Sendable {
    /// Of a Strata server, with ids and versions as they are here.
    case result(MutationResult)
    /// Of another API, for the entry with this id.
    case outcome(Mutation.ID, RemoteOutcome)

    var id: Mutation.ID {
        switch self {
        case .result(let result): result.id
        case .outcome(let id, _): id
        }
    }
}

/// A push without an answer, and the next step.
struct PushFault: Error, Sendable {
    var error: NetworkError
    var decision: PushFailure

    init(_ error: NetworkError, _ decision: PushFailure) { (self.error, self.decision) = (error, decision) }
}
