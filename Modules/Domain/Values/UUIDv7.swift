public import FoundationEssentials

/// Ids that sort by the time of their creation (RFC 9562, section 5.7): 48 bits of milliseconds, then random bits.
public enum UUIDv7 {
    public static func string(at date: Date) -> String {
        var generator = SystemRandomNumberGenerator()
        return string(at: date, using: &generator)
    }

    /// Lower-case text form of a new id made at `date`.
    public static func string(at date: Date, using generator: inout some RandomNumberGenerator) -> String {
        let seconds = max(0, min(date.timeIntervalSince1970, 281_474_976_710))
        let time = UInt64(seconds * 1000)
        let high = time << 16 | 0x7000 | generator.next() & 0xFFF
        let low = 0x8000_0000_0000_0000 | generator.next() & 0x3FFF_FFFF_FFFF_FFFF
        return text(high, low)
    }

    private static func text(_ high: UInt64, _ low: UInt64) -> String {
        String(unsafeUninitializedCapacity: 36) { text in
            var place = 0
            for shift in stride(from: 124, through: 0, by: -4) {
                if place == 8 || place == 13 || place == 18 || place == 23 {
                    text[place] = UInt8(ascii: "-")
                    place += 1
                }
                let digit = UInt8(
                    truncatingIfNeeded: (shift >= 64 ? high >> UInt64(shift - 64) : low >> UInt64(shift)) & 0xF)
                text[place] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
                place += 1
            }
            return place
        }
    }
}
