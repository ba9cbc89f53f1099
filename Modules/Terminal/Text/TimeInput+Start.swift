public import FoundationEssentials
public import StrataDomain

extension TimeInput {
    /// The forms of `start`, for help and errors.
    package static let startForms = "30m, 12h, 7d, 2w, or \(forms)"

    /// How far back a view goes: `30m`, `12h`, `2d`, `1w`, or a time as `date` reads it.
    ///
    /// - Throws: `.validation` for text that is neither, or a span of more than 100 years.
    public func start(_ text: String) throws(DomainError) -> Date {
        if let date = date(text) { return date }
        let digits = text.utf8.dropLast()
        guard let unit = text.utf8.last.flatMap(Self.seconds), !digits.isEmpty,
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
