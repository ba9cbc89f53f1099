/// A semaphore that refuses instead of waiting: bounds how many operations of each key run at once.
package final class Permits: Sendable {
    private let limit: Int
    private let counts = Mutex<[String: Int]>([:])

    /// - Parameter limit: Permits of each key, at least 1.
    package init(limit: Int) { self.limit = max(1, limit) }

    /// - Parameter key: Such as a caller. Default: one key for all.
    /// - Returns: `nil` when every permit of `key` is taken.
    package func take(for key: String = "") -> Permit? {
        let isTaken = counts.withLock { counts in
            guard counts[key, default: 0] < limit else { return false }
            counts[key, default: 0] += 1
            return true
        }
        return isTaken ? Permit(for: key, of: self) : nil
    }

    /// Permits of all keys that are taken.
    package var taken: Int { counts.withLock { $0.values.reduce(0, +) } }

    fileprivate func release(_ key: String) {
        counts.withLock { counts in
            guard let count = counts[key] else { return }
            counts[key] = count > 1 ? count - 1 : nil
        }
    }
}

/// The right to run one operation. It returns to its `Permits` when the last reference to it is released.
package final class Permit: Sendable {
    private let key: String
    private let permits: Permits

    fileprivate init(for key: String, of permits: Permits) {
        self.key = key
        self.permits = permits
    }

    deinit { permits.release(key) }
}
