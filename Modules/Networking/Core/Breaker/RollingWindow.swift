/// Calls and failures of the last while, kept in ten slices of time; its time is given.
struct RollingWindow: Sendable, Equatable {
    struct Count: Sendable, Equatable {
        var calls = 0
        var failures = 0
    }

    static let slices = 10

    private struct Slice: Sendable, Equatable {
        let number: Int128
        var count = Count()
    }

    private let sliceLength: Duration
    /// At most ten, oldest first, none empty.
    private var slices: [Slice] = []

    init(_ length: Duration) { sliceLength = length / Self.slices }

    mutating func add(isFailure: Bool, at now: Duration) {
        // Two callers may read the clock in one order and arrive in the other.
        let number = max(self.number(at: now), slices.last?.number ?? 0)
        slices.removeAll { $0.number <= number - Int128(Self.slices) }
        if slices.last?.number != number { slices.append(Slice(number: number)) }
        slices[slices.count - 1].count.calls += 1
        if isFailure { slices[slices.count - 1].count.failures += 1 }
    }

    func count(at now: Duration) -> Count {
        let oldest = number(at: now) - Int128(Self.slices)
        return slices.filter { $0.number > oldest }.reduce(into: Count()) { sum, slice in
            sum.calls += slice.count.calls
            sum.failures += slice.count.failures
        }
    }

    private func number(at now: Duration) -> Int128 { now.attoseconds / sliceLength.attoseconds }
}
