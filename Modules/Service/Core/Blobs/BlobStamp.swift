import StrataConcurrency

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Which file it is, and in which state: the system changes the stamp with every write, link and rename, and nobody can put
/// an old time of change back.
struct BlobStamp: Sendable, Hashable {
    private let device: UInt64
    private let inode: UInt64
    private let size: Int64
    private let changed: [Int]

    /// - Returns: `nil` for a descriptor that is none.
    init?(_ descriptor: CInt) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        size = Int64(status.st_size)
        changed = [
            Int(status.st_mtim.tv_sec), Int(status.st_mtim.tv_nsec), Int(status.st_ctim.tv_sec),
            Int(status.st_ctim.tv_nsec),
        ]
    }
}

/// The contents that were compared with their digest, so that each file is read once for that and not for every reader.
final class VerifiedBlobs: Sendable {
    /// Beyond this, some 2 MiB, all are forgotten and compared anew.
    private static let most = 10_000

    private let stamps = Mutex<[String: BlobStamp]>([:])

    func holds(_ id: String, as stamp: BlobStamp) -> Bool { stamps.withLock { $0[id] == stamp } }

    func insert(_ id: String, as stamp: BlobStamp) {
        stamps.withLock { stamps in
            if stamps.count >= Self.most { stamps.removeAll() }
            stamps[id] = stamp
        }
    }

    func remove(_ id: String) { stamps.withLock { _ = $0.removeValue(forKey: id) } }
}
