import StrataHTTP

import struct Synchronization.Atomic

/// Names for calls, writes and spans: unique, but no secrets, for who knows some can tell the others. From a generator of
/// this process, seeded by the system once, because asking the system for each costs more than all else that begins a call.
enum CallIdentifiers {
    private static let generator = ScrambledCounter()

    /// A random UUID (RFC 9562, version 4) in lower case.
    static func uuid() -> String {
        let (high, low) = pair()
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
                buffer[place] = (digit < 16 ? first : second).hexadecimalDigit(digit % 16)
                place += 1
            }
            return place
        }
    }

    /// Two random numbers.
    static func pair() -> (UInt64, UInt64) { generator.next() }

    /// A random number other than zero.
    static func number() -> UInt64 { generator.next().0 | 1 }
}

/// Two streams of SplitMix64 (Steele, Lea and Flood, 2014), each begun somewhere else, which are read in step. All they have
/// in common is a counter, so that callers who draw at once meet at one addition and never at a lock.
private final class ScrambledCounter: Sendable {
    private let drawn = Atomic<UInt64>(0)
    private let starts: (UInt64, UInt64)

    init() {
        var system = SystemRandomNumberGenerator()
        starts = (system.next(), system.next())
    }

    func next() -> (UInt64, UInt64) {
        let place = drawn.wrappingAdd(1, ordering: .relaxed).newValue &* 0x9E37_79B9_7F4A_7C15
        return (Self.mix(starts.0 &+ place), Self.mix(starts.1 &+ place))
    }

    private static func mix(_ state: UInt64) -> UInt64 {
        var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
