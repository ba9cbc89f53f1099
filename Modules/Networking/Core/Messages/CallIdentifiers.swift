import Synchronization

/// Names for calls, writes and spans: unique, but no secret. From a generator of this process, seeded by the system once,
/// because asking the system for each costs more than all else that begins a call.
enum CallIdentifiers {
    private static let generator = Mutex(Xoshiro256())

    /// A random UUID (RFC 9562, version 4) in lower case.
    static func uuid() -> String {
        let (high, low) = generator.withLock { ($0.next(), $0.next()) }
        let (first, second) = (
            high & 0xFFFF_FFFF_FFFF_0FFF | 0x4000, low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        )
        return String(unsafeUninitializedCapacity: 36) { buffer in
            var place = 0
            for digit in 0..<32 {
                if [8, 12, 16, 20].contains(digit) {
                    buffer[place] = UInt8(ascii: "-")
                    place += 1
                }
                buffer[place] = Self.digit(digit % 16, of: digit < 16 ? first : second)
                place += 1
            }
            return place
        }
    }

    /// A random number other than zero.
    static func number() -> UInt64 { generator.withLock { $0.next() } | 1 }

    static func hex(_ number: UInt64) -> String {
        String(unsafeUninitializedCapacity: 16) { buffer in
            write(number, to: buffer, at: 0)
            return 16
        }
    }

    /// Writes sixteen lower-case hexadecimal digits.
    static func write(_ number: UInt64, to buffer: UnsafeMutableBufferPointer<UInt8>, at start: Int) {
        for place in 0..<16 { buffer[start + place] = digit(place, of: number) }
    }

    /// The digit at `place` of sixteen, from the left.
    private static func digit(_ place: Int, of number: UInt64) -> UInt8 {
        let value = UInt8(truncatingIfNeeded: number >> UInt64(60 - 4 * place)) & 15
        return value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
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
