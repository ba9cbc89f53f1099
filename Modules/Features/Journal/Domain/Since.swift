package import FoundationEssentials
package import StrataDomain

/// Reads how far back a view goes: `30m`, `12h`, `2d`, `1w`, or an RFC 3339 time.
package enum Since {
    /// The moment `text` names, seen from `now`.
    ///
    /// - Throws: `.validation` for text that is neither, or a span of more than 100 years.
    package static func date(_ text: String, now: Date) throws(DomainError) -> Date {
        if let date = RFC3339.date(from: text) { return date }
        let digits = text.utf8.dropLast()
        guard let unit = text.utf8.last.flatMap(seconds), !digits.isEmpty,
            digits.allSatisfy({ (0x30...0x39).contains($0) })
        else {
            throw .validation(
                "'\(text.prefix(40))' is no time span; use a number with m, h, d or w, like 12h, or a time like "
                    + "yesterday, 10:05 or \(RFC3339.string(from: now)).")
        }
        guard let count = String(digits).flatMap(Int.init), count <= 100 * 366 * 86_400 / unit else {
            throw .validation("'\(text.prefix(40))' is too long a time span; 100 years are the most.")
        }
        return now.addingTimeInterval(-Double(count * unit))
    }

    private static func seconds(_ unit: UInt8) -> Int? {
        switch Character(Unicode.Scalar(unit)) {
        case "s": 1
        case "m": 60
        case "h": 3600
        case "d": 86_400
        case "w": 604_800
        default: nil
        }
    }
}
