import StrataHTTP

/// A 64-bit hash that is the same in every process, on every machine and in every version: FNV-1a
/// (isthe.com/chongo/tech/comp/fnv), finished by a mixer, since FNV alone leaves the high bits poor.
///
/// It detects accidents, not attacks.
public struct StableHash: Sendable, Hashable {
    private var state: UInt64 = 0xCBF2_9CE4_8422_2325

    /// The hash of nothing.
    public init() {}

    /// Adds a text; its end counts, so `"a"` and `"bc"` differ from `"ab"` and `"c"`.
    public mutating func combine(_ text: String) {
        for byte in text.utf8 { take(byte) }
        take(0xFF)  // never in UTF-8: ("a", "bc") differs from ("ab", "c")
    }

    /// The same for text as UTF-8.
    public mutating func combine(_ text: UnsafeBufferPointer<UInt8>) {
        for byte in text { take(byte) }
        take(0xFF)
    }

    /// Adds a number.
    public mutating func combine(_ number: Int) {
        var rest = UInt64(bitPattern: Int64(number))
        for _ in 0..<8 {
            take(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }

    private mutating func take(_ byte: UInt8) { state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }

    /// The hash of everything combined so far.
    public var value: UInt64 { Self.mixed(state) }

    /// The hash as 16 hexadecimal digits.
    public var text: String { value.hex }

    /// The finisher of SplitMix64: every bit of the result depends on every bit of `number`.
    public static func mixed(_ number: UInt64) -> UInt64 {
        var mixed = number
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
