public import FoundationEssentials
import StrataConcurrency
public import StrataDomain

/// Stores contents in pieces in the database, for a service of many replicas.
///
/// Each piece is written and read in a short transaction of its own, so a slow client holds none open. A piece is verified
/// each time it is read.
public struct BlobTables: BlobStore {
    let store: any Store
    let clock: any WallClock
    private let transfers: Permits

    /// - Parameters:
    ///   - store: The store without the signal of commits, because pieces wake no long poll.
    ///   - transfers: Contents that are written or read at once, each with at most three pieces of 256 KiB in memory; one
    ///     more is 503. Default 256.
    ///   - clock: The age of contents.
    public init(in store: any Store, transfers: Int = 256, clock: any WallClock = SystemWallClock()) {
        self.store = store
        self.clock = clock
        self.transfers = Permits(limit: transfers)
    }

    public var migrations: [StoreMigration] { [BlobPieces.migration] }

    public func writer(of id: String) async throws -> any BlobWriter {
        BlobTableWriter(id: id, in: self, permit: try transfers.takeForTransfer())
    }

    public func open(_ id: String, size: Int, digest: Data) async throws -> any BlobReader {
        let permit = try transfers.takeForTransfer()
        let head = try await store.read { reader in try BlobPieces.head(id, in: reader) }
        guard let head else { throw BlobError.lost(id) }
        guard head.size == size, head.digest == digest, head.pieceSize > 0,
            head.pieces == (size + head.pieceSize - 1) / head.pieceSize
        else { throw BlobError.damaged(id) }
        return BlobTableReader(id: id, head: head, store: store, permit: permit)
    }

    public func remove(_ id: String) async throws {
        while try await !store.write({ transaction in try BlobPieces.remove(id, in: transaction) }) {}
    }

    public func sweep(olderThan date: Date, referred: ReferredBlobs) async throws -> Int {
        var (removed, last) = (0, "")
        while true {
            let (old, end) = try await store.read { [last] reader in
                let old = try BlobPieces.old(before: date, after: last, in: reader)
                return (old, old.last?.id)
            }
            guard let end else { return removed }
            last = end
            let kept = try await referred(old.filter(\.isComplete).map(\.id))
            for content in old where !kept.contains(content.id) {
                try await remove(content.id)
                removed += 1
            }
        }
    }
}
