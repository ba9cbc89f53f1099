import FoundationEssentials
public import Logging
import StrataDomain

/// The contents of an offline store, for messages.
public struct StoredEntries: Sendable, Hashable {
    /// The account it belongs to; `nil` before the first login.
    public let owner: OfflineAccount?
    /// Number of unsent writes.
    public let unsent: Int

    /// - Parameter path: Of the database.
    /// - Returns: `nil` if there is no store, or it cannot be read.
    public init?(at path: String, collections: [OfflineCollection], log: Logger) async {
        guard FileManager.default.fileExists(atPath: path),
            let database = try? await OfflineDatabase.open(at: path, collections: collections, log: log),
            let status = try? await database.syncStatus()
        else { return nil }
        do { owner = try await database.owner() } catch { return nil }
        unsent = status.pending + status.rejected
    }

    /// `2 writes are not sent yet`.
    public var text: String { unsent == 1 ? "1 write is not sent yet" : "\(unsent) writes are not sent yet" }
}
