import StrataConcurrency
public import StrataDomain

/// Origins that asked for a pause, with 429 or 503 and `Retry-After`, and when it ends.
///
/// Remembers 1024 pauses; beyond that the one that ends first is forgotten.
public final class OriginPauses: Sendable {
    let time: MonotonicTime
    let wallClock: any WallClock
    private let ends = Mutex<[Origin: Duration]>([:])
    private let capacity: Int

    /// - Parameter wallClock: Measures an HTTP-date in a response that has no `Date` of its own.
    public convenience init(time: MonotonicTime, wallClock: any WallClock = SystemWallClock()) {
        self.init(time: time, wallClock: wallClock, capacity: 1024)
    }

    init(time: MonotonicTime, wallClock: any WallClock, capacity: Int) {
        self.time = time
        self.wallClock = wallClock
        self.capacity = max(1, capacity)
    }

    /// Pauses `origin` for `wait` from now on. A longer pause that is there already stays.
    public func pause(_ origin: Origin, for wait: Duration) {
        let now = time.now
        guard wait > .zero else { return }
        ends.withLock { ends in
            if ends[origin] == nil, ends.count >= capacity { Self.forgetFirst(&ends) }
            ends[origin] = max(ends[origin] ?? .zero, now + wait)
        }
    }

    /// How long `origin` is still paused; `nil` when it is not.
    public func remaining(of origin: Origin) -> Duration? {
        ends.withLock { ends in
            guard let end = ends[origin] else { return nil }
            let now = time.now
            guard end > now else {
                ends[origin] = nil
                return nil
            }
            return end - now
        }
    }

    /// The paused origins, each with the time that is left.
    public var snapshot: [Origin: Duration] {
        let now = time.now
        return ends.withLock { $0 }.filter { $0.value > now }.mapValues { $0 - now }
    }

    private static func forgetFirst(_ ends: inout [Origin: Duration]) {
        if let first = ends.min(by: { $0.value < $1.value }) { ends[first.key] = nil }
    }
}
