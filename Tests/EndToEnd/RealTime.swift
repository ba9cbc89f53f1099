import Foundation
import StrataTesting

/// Real time as a fault or a load: how long a network is cut, when a kill comes. A test waits for nothing this way.
enum RealTime {
    static func pass(_ duration: Duration) async throws { try await Task.sleep(for: duration) }

    static func pass(until instant: ContinuousClock.Instant) async throws {
        try await Task.sleep(until: instant, clock: .continuous)
    }

    /// Ends at a moment within `range`, in milliseconds, that `random` chooses.
    static func pass(milliseconds range: ClosedRange<Int>, using random: inout SeededRandom) async throws {
        try await pass(.milliseconds(Int.random(in: range, using: &random)))
    }
}
