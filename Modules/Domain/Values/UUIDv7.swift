public import FoundationEssentials

/// Ids that sort by the time of their creation (RFC 9562, section 5.7): 48 bits of milliseconds, then random bits.
public enum UUIDv7 {
    /// A new id, which sorts behind those of earlier milliseconds.
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
        return withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
            .text
    }
}
