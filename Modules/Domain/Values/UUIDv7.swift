public import FoundationEssentials

/// Ids that sort by the time they were made (RFC 9562, section 5.7): 48 bits of milliseconds, then randomness.
public enum UUIDv7 {
    public static func string(at date: Date) -> String {
        var generator = SystemRandomNumberGenerator()
        return string(at: date, using: &generator)
    }

    /// Lower-case text form of a new id made at `date`.
    public static func string(at date: Date, using generator: inout some RandomNumberGenerator) -> String {
        let seconds = max(0, min(date.timeIntervalSince1970, 281_474_976_710))
        let time = UInt64(seconds * 1000)
        let high = time << 16 | 0x7000 | UInt64.random(in: 0...0xFFF, using: &generator)
        let low = 0x8000_0000_0000_0000 | UInt64.random(in: 0...0x3FFF_FFFF_FFFF_FFFF, using: &generator)
        return text(high, low)
    }

    private static func text(_ high: UInt64, _ low: UInt64) -> String {
        func hex(_ value: UInt64, _ digits: Int) -> String {
            let text = String(value, radix: 16)
            return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
        }
        return [
            hex(high >> 32, 8), hex(high >> 16 & 0xFFFF, 4), hex(high & 0xFFFF, 4), hex(low >> 48, 4),
            hex(low & 0xFFFF_FFFF_FFFF, 12),
        ].joined(separator: "-")
    }
}
