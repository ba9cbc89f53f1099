import Foundation
import Glibc
import StrataConcurrency

@testable import StrataCaching

/// Adds up the files of a directory again and again, and keeps the largest sum.
final class Sampler: Sendable {
    private let path: String
    private let largest = Mutex(0)
    private let count = Mutex(0)
    private let isOver = Mutex(false)
    private let ended = DispatchSemaphore(value: 0)

    init(_ path: String) {
        self.path = path
        Thread.detachNewThread { [self] in
            while !isOver.withLock({ $0 }) {
                let bytes = Self.bytes(in: path)
                largest.withLock { $0 = max($0, bytes) }
                count.withLock { $0 += 1 }
                _ = poll(nil, 0, 2)
            }
            ended.signal()
        }
    }

    /// Ends it.
    ///
    /// - Returns: The largest sum, and how many were taken.
    func finish() -> (largest: Int, samples: Int) {
        isOver.withLock { $0 = true }
        ended.wait()
        return (largest.withLock { $0 }, count.withLock { $0 })
    }

    static func bytes(in path: String) -> Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.reduce(0) { sum, name in
            var status = stat()
            return lstat("\(path)/\(name)", &status) == 0 ? sum + Int(status.st_size) : sum
        }
    }
}
