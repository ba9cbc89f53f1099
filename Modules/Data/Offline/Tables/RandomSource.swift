public import FoundationEssentials
import StrataConcurrency
import StrataDomain

/// Where ids and jitter come from; a seeded one makes a whole run repeatable.
public final class RandomSource: Sendable {
    private let generator: Mutex<any RandomNumberGenerator & Sendable>

    public init(_ generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()) {
        self.generator = Mutex(generator)
    }

    /// A new UUID (version 7) made at `date`.
    public func id(at date: Date) -> String {
        generator.withLock { generator in Self.id(at: date, &generator) }
    }

    /// From 0 up to, but not including, 1.
    public func fraction() -> Double {
        generator.withLock { generator in Self.fraction(&generator) }
    }

    private static func id(at date: Date, _ generator: inout some RandomNumberGenerator) -> String {
        UUIDv7.string(at: date, using: &generator)
    }

    private static func fraction(_ generator: inout some RandomNumberGenerator) -> Double {
        Double.random(in: 0..<1, using: &generator)
    }
}
