/// Yields numbers from 0 up to 1.
public typealias RandomFraction = @Sendable () -> Double

/// The system's randomness.
public let systemRandomFraction: RandomFraction = { Double.random(in: 0..<1) }
