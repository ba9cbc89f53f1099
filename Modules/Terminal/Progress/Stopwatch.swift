/// Time since it was made, on a monotonic clock.
struct Stopwatch: Sendable {
    private let read: @Sendable () -> Duration

    init(_ clock: any Clock<Duration>) { read = Self.reader(clock) }

    var elapsed: Duration { read() }

    private static func reader<C: Clock>(_ clock: C) -> @Sendable () -> Duration where C.Duration == Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }
}

extension Duration {
    /// Whole microseconds, rounded down.
    var microseconds: Int64 { components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000 }

    /// Milliseconds with three decimals.
    var milliseconds: Double { Double(microseconds) / 1000 }

    /// `0.4 ms`, `250 ms`, `1.5 s`.
    var shortText: String {
        let micros = microseconds
        switch micros {
        case ..<100_000: return Self.tenths(micros / 100, "ms")
        case ..<1_000_000: return "\(micros / 1000) ms"
        default: return Self.tenths(micros / 100_000, "s")
        }
    }

    private static func tenths(_ tenths: Int64, _ unit: String) -> String {
        tenths % 10 == 0 ? "\(tenths / 10) \(unit)" : "\(tenths / 10).\(tenths % 10) \(unit)"
    }
}
