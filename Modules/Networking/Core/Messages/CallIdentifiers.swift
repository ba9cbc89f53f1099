import Synchronization

/// Names for calls, writes and spans: unique, but no secret. From a generator of this process, seeded by the system once,
/// because asking the system for each costs more than all else that begins a call.
enum CallIdentifiers {
    private static let generator = Mutex(Xoshiro256())

    /// A random UUID (RFC 9562, version 4) in lower case.
    static func uuid() -> String {
        let (high, low) = generator.withLock { ($0.next(), $0.next()) }
        let first = hex(high & 0xFFFF_FFFF_FFFF_0FFF | 0x4000)
        let second = hex(low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
        return
            "\(first.prefix(8))-\(first.dropFirst(8).prefix(4))-\(first.suffix(4))-\(second.prefix(4))-\(second.suffix(12))"
    }

    /// Sixteen lower-case hexadecimal digits, not all zero.
    static func span() -> String { hex(generator.withLock { $0.next() } | 1) }

    static func hex(_ number: UInt64) -> String {
        let digits: StaticString = "0123456789abcdef"
        return String(unsafeUninitializedCapacity: 16) { buffer in
            for place in 0..<16 {
                buffer[place] = digits.utf8Start[Int((number >> UInt64(60 - 4 * place)) & 15)]
            }
            return 16
        }
    }
}

/// xoshiro256** (Blackman and Vigna, 2018).
private struct Xoshiro256: RandomNumberGenerator {
    private var state: (UInt64, UInt64, UInt64, UInt64)

    init() {
        var system = SystemRandomNumberGenerator()
        state = (system.next() | 1, system.next(), system.next(), system.next())
    }

    mutating func next() -> UInt64 {
        let product = state.1 &* 5
        let result = (product << 7 | product >> 57) &* 9
        let shifted = state.1 << 17
        state.2 ^= state.0
        state.3 ^= state.1
        state.1 ^= state.2
        state.0 ^= state.3
        state.2 ^= shifted
        state.3 = state.3 << 45 | state.3 >> 19
        return result
    }
}
