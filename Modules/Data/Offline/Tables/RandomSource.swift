public import FoundationEssentials
import StrataConcurrency
import StrataDomain

/// Where ids and jitter come from; a seeded one makes a whole run repeatable.
public final class RandomSource: Sendable {
    private let generator: Mutex<any RandomNumberGenerator & Sendable>

    /// A source of this generator, by default that of the system.
    public init(_ generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()) {
        self.generator = Mutex(generator)
    }

    /// A new UUID (version 7) made at `date`.
    public func id(at date: Date) -> String { generator.withLock { UUIDv7.string(at: date, using: &$0) } }

    /// From 0 up to, but not including, 1.
    public func fraction() -> Double { generator.withLock { Double.random(in: 0..<1, using: &$0) } }
}
