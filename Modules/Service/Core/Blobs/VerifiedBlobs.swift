import StrataConcurrency
import StrataSystem

/// The contents that were compared with their digest, so that each file is read once for that and not for every reader.
final class VerifiedBlobs: Sendable {
    /// Beyond this, some 2 MiB, all are forgotten and compared anew.
    private static let most = 10_000

    private let stamps = Mutex<[String: FileStamp]>([:])

    func holds(_ id: String, as stamp: FileStamp) -> Bool { stamps.withLock { $0[id] == stamp } }

    func insert(_ id: String, as stamp: FileStamp) {
        stamps.withLock { stamps in
            if stamps.count >= Self.most { stamps.removeAll() }
            stamps[id] = stamp
        }
    }

    func remove(_ id: String) { stamps.withLock { _ = $0.removeValue(forKey: id) } }
}
