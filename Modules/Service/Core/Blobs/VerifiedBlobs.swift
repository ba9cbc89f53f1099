import StrataConcurrency
import StrataSystem

/// The files whose digest was verified. Each state of a file is verified once in this process.
final class VerifiedBlobs: Sendable {
    /// Above this number, some 2 MiB, the table is cleared, and files are verified again.
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
