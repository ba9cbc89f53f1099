import StrataConcurrency

/// SplitMix64 (Steele, Lea, Flood 2014): the same seed gives the same numbers, on every machine.
public struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// The generator that always gives the same numbers for `seed`.
    public init(seed: UInt64) { state = seed }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A source of fractions from 0 up to 1 for the jitter of retries, shared by all who hold it.
    public static func fractions(seed: UInt64) -> @Sendable () -> Double {
        let source = Source(SeededRandom(seed: seed))
        return { source.fraction() }
    }

    private final class Source: Sendable {
        private let random: Mutex<SeededRandom>
        init(_ random: SeededRandom) { self.random = Mutex(random) }
        func fraction() -> Double { random.withLock { Double.random(in: 0..<1, using: &$0) } }
    }
}
