public import FoundationEssentials

/// Times on the wire: RFC 3339 in UTC with milliseconds, `2026-11-21T09:05:00.250Z`.
///
/// Foundation's ISO 8601 style is not used: a written time must be read as the same `Date`, and text after a valid time
/// must be refused. It guarantees neither.
public enum RFC3339 {
    /// `date` rounded to the millisecond.
    public static func string(from date: Date) -> String {
        let bounded = min(max(date.timeIntervalSince1970, earliest), latest)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(24)
        append(milliseconds: Int((bounded * 1000).rounded()), to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the time in the form of `string(from:)`, for callers that write many times.
    ///
    /// - Parameter milliseconds: Since 1970. A time outside of the years 0000 to 9999 counts as the nearest one within.
    public static func append(milliseconds: Int, to bytes: inout [UInt8]) {
        let bounded = min(max(milliseconds, Int(earliest) * 1000), Int(latest * 1000))
        let (days, inDay) = bounded.quotientAndRemainder(flooringBy: 86_400_000)
        let (year, month, day) = GregorianDay.date(ofNumber: days)
        let seconds = inDay / 1000
        func digits(_ number: Int, _ width: Int, then end: Unicode.Scalar) {
            var divisor = width == 4 ? 1000 : width == 3 ? 100 : 10
            while divisor > 0 {
                bytes.append(48 + UInt8(number / divisor % 10))
                divisor /= 10
            }
            bytes.append(UInt8(ascii: end))
        }
        digits(year, 4, then: "-")
        digits(month, 2, then: "-")
        digits(day, 2, then: "T")
        digits(seconds / 3600, 2, then: ":")
        digits(seconds / 60 % 60, 2, then: ":")
        digits(seconds % 60, 2, then: ".")
        digits(inDay % 1000, 3, then: "Z")
    }

    /// The time of `text`, with or without fraction, in any offset; `nil` for any other text and for a leap second.
    public static func date(from text: String) -> Date? {
        var reader = Reader(text)
        guard let year = reader.digits(4), reader.take("-"), let month = reader.digits(2), reader.take("-"),
            let day = reader.digits(2), reader.take("T") || reader.take("t") || reader.take(" "),
            let hour = reader.digits(2), reader.take(":"), let minute = reader.digits(2), reader.take(":"),
            let second = reader.digits(2), let time = seconds(year, month, day, hour, minute, second)
        else { return nil }
        var milliseconds = 0
        if reader.take(".") {
            guard let fraction = reader.fraction() else { return nil }
            milliseconds = fraction
        }
        guard let offset = reader.offset(), reader.isAtEnd else { return nil }
        let date = Double((time - offset) * 1000 + milliseconds) / 1000
        // An offset can lead out of the years that `string(from:)` can write.
        guard (earliest...latest).contains(date) else { return nil }
        return Date(timeIntervalSince1970: date)
    }

    /// The time in `bytes` in milliseconds since 1970, for callers that read many times. `nil` unless it has the exact form
    /// of `string(from:)`; `date(from:)` reads other forms.
    public static func milliseconds(spelled bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        guard bytes.count == 24 else { return nil }
        func number(_ places: Range<Int>) -> Int? {
            var number = 0
            for place in places {
                let digit = Int(bytes[place]) - 48
                guard (0...9).contains(digit) else { return nil }
                number = number * 10 + digit
            }
            return number
        }
        guard bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"), bytes[10] == UInt8(ascii: "T"),
            bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"), bytes[19] == UInt8(ascii: "."),
            bytes[23] == UInt8(ascii: "Z"), let year = number(0..<4), let month = number(5..<7),
            let day = number(8..<10), let hour = number(11..<13), let minute = number(14..<16),
            let second = number(17..<19), let fraction = number(20..<23),
            let time = seconds(year, month, day, hour, minute, second)
        else { return nil }
        return time * 1000 + fraction
    }

    /// Seconds since 1970; `nil` for a day or a time of day that there is not.
    private static func seconds(
        _ year: Int, _ month: Int, _ day: Int, _ hour: Int, _ minute: Int, _ second: Int
    ) -> Int? {
        guard (1...12).contains(month), (1...GregorianDay.count(inMonth: month, of: year)).contains(day), hour < 24,
            minute < 60, second < 60
        else { return nil }
        return GregorianDay.number(year: year, month: month, day: day) * 86_400 + hour * 3600 + minute * 60 + second
    }

    /// Years 0000 to 9999, the range of the format.
    private static let earliest = -62_167_219_200.0
    private static let latest = 253_402_300_799.999
}

/// Walks over ASCII bytes.
private struct Reader {
    private var rest: Substring.UTF8View
    init(_ text: String) { rest = text[...].utf8 }
    var isAtEnd: Bool { rest.isEmpty }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard let byte = rest.first, UInt32(byte) == character.value else { return false }
        rest.removeFirst()
        return true
    }

    mutating func digit() -> Int? {
        guard let byte = rest.first, (48...57).contains(byte) else { return nil }
        rest.removeFirst()
        return Int(byte) - 48
    }

    mutating func digits(_ count: Int) -> Int? {
        var number = 0
        for _ in 0..<count {
            guard let digit = digit() else { return nil }
            number = number * 10 + digit
        }
        return number
    }

    /// One digit or more, as milliseconds; further digits are cut off.
    mutating func fraction() -> Int? {
        guard let first = digit() else { return nil }
        var milliseconds = first * 100
        var weight = 10
        while let digit = digit() {
            milliseconds += digit * weight
            weight /= 10
        }
        return milliseconds
    }

    /// `Z` or `±hh:mm`, in seconds east of UTC.
    mutating func offset() -> Int? {
        if take("Z") || take("z") { return 0 }
        let sign = take("+") ? 1 : take("-") ? -1 : 0
        guard sign != 0, let hours = digits(2), take(":"), let minutes = digits(2), hours < 24, minutes < 60 else {
            return nil
        }
        return sign * (hours * 3600 + minutes * 60)
    }
}
