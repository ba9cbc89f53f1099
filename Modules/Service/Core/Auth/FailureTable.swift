/// Failure counts, each in a window that starts with its first failure. The least recently used are dropped first.
struct FailureTable {
    private struct Window {
        var failures = 0
        var start: Duration
    }

    private let duration: Duration
    private var windows: LRUTable<Window>

    /// - Parameters:
    ///   - window: How long a count lasts.
    ///   - capacity: Counts to keep, at least 2.
    init(window: Duration, capacity: Int) {
        duration = window
        windows = LRUTable(capacity: capacity)
    }

    var count: Int { windows.count }

    /// Failures of `key` in its window, and how long the window still lasts. An ended window has none.
    mutating func failures(_ key: Int, at now: Duration) -> (count: Int, remaining: Duration) {
        guard let window = windows[key] else { return (0, .zero) }
        let remaining = window.start + duration - now
        windows[key] = remaining > .zero ? window : nil
        return remaining > .zero ? (window.failures, remaining) : (0, .zero)
    }

    mutating func add(_ key: Int, at now: Duration) {
        var window = failures(key, at: now).count > 0 ? windows[key] ?? Window(start: now) : Window(start: now)
        window.failures += 1
        windows[key] = window
    }

    mutating func remove(_ key: Int) { windows[key] = nil }
}
