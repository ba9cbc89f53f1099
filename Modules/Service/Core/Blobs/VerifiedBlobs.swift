import FoundationEssentials
import StrataConcurrency
import StrataSystem

/// The files whose digest was verified. Each state of a file is verified once in this process.
final class VerifiedBlobs: Sendable {
    /// Above this number, some 2 MiB, the table is cleared, and files are verified again.
    private static let most = 10_000

    private struct State: Hashable {
        let stamp: FileStamp
        let digest: Data
    }

    private let states = Mutex<[String: State]>([:])

    func holds(_ id: String, as stamp: FileStamp, _ digest: Data) -> Bool {
        states.withLock { $0[id] == State(stamp: stamp, digest: digest) }
    }

    func insert(_ id: String, as stamp: FileStamp, _ digest: Data) {
        states.withLock { states in
            if states.count >= Self.most { states.removeAll() }
            states[id] = State(stamp: stamp, digest: digest)
        }
    }

    func remove(_ id: String) { states.withLock { _ = $0.removeValue(forKey: id) } }
}
