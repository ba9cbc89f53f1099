import FoundationEssentials

/// Dates in a fixed pattern of English names and numbers, in the letters of Unicode TR 35. FoundationEssentials has none.
struct DatePattern: Sendable {
    let text: String
    /// A sentence for a pattern that cannot be used.
    let fault: String?
    private let parts: [Part]

    private enum Part: Sendable {
        case number(any WritableKeyPath<Fields, Int> & Sendable, width: Int)
        case month
        case weekday
        case halfHour(width: Int)
        case halfDay
        case fraction(digits: Int)
        case offset(hasColon: Bool)
        case literal([UInt8])
    }

    private struct Fields {
        var (year, month, day) = (1970, 1, 1)
        var (hour, minute, second, milliseconds) = (0, 0, 0, 0)
        /// 1 to 12, of a half day; in its place `hour` counts to 23.
        var halfHour: Int?
        var isAfternoon = false
        /// 0 is Sunday.
        var weekday: Int?
        /// Seconds east of UTC.
        var offset = 0
    }

    init(_ pattern: String) {
        text = pattern
        var (parts, fault) = ([Part](), nil as String?)
        var rest = pattern[...]
        while let first = rest.first {
            if first == "'" {
                rest.removeFirst()
                let quoted = rest.prefix { $0 != "'" }
                // Two quotes in a row are one quote.
                parts.append(.literal(Array((quoted.isEmpty ? "'" : String(quoted)).utf8)))
                rest = rest.dropFirst(quoted.count + 1)
            } else if first.isASCII, first.isLetter {
                let run = rest.prefix { $0 == first }
                rest = rest.dropFirst(run.count)
                if let part = Self.part(first, run.count) {
                    parts.append(part)
                } else {
                    fault =
                        "a time, but the date pattern '\(pattern)' has '\(run)', which is not supported; see JSONForm.Dates.pattern"
                }
            } else {
                rest.removeFirst()
                parts.append(.literal(Array(String(first).utf8)))
            }
        }
        (self.parts, self.fault) = (parts, fault)
    }

    private static func part(_ letter: Character, _ count: Int) -> Part? {
        switch (letter, count) {
        case ("y", 4): .number(\.year, width: 4)
        case ("M", 1), ("M", 2): .number(\.month, width: count)
        case ("M", 3): .month
        case ("d", 1), ("d", 2): .number(\.day, width: count)
        case ("E", 1...3): .weekday
        case ("H", 1), ("H", 2): .number(\.hour, width: count)
        case ("h", 1), ("h", 2): .halfHour(width: count)
        case ("a", 1): .halfDay
        case ("m", 2): .number(\.minute, width: 2)
        case ("s", 2): .number(\.second, width: 2)
        case ("S", 1...9): .fraction(digits: count)
        case ("Z", 1...3): .offset(hasColon: false)
        case ("X", 3): .offset(hasColon: true)
        default: nil
        }
    }

    /// In UTC. A date outside of the years 0000 to 9999 counts as the nearest one within.
    func string(from date: Date) -> String {
        let fields = Self.fields(of: date)
        var bytes: [UInt8] = []
        for part in parts {
            switch part {
            case .number(let field, let width): bytes += Self.padded(fields[keyPath: field], width)
            case .month: bytes += Self.months[fields.month - 1].utf8
            case .weekday: bytes += Self.weekdays[fields.weekday ?? 0].utf8
            case .halfHour(let width): bytes += Self.padded(fields.hour % 12 == 0 ? 12 : fields.hour % 12, width)
            case .halfDay: bytes += (fields.hour < 12 ? "AM" : "PM").utf8
            case .fraction(let digits):
                let milliseconds = Self.padded(fields.milliseconds, 3) + [UInt8](repeating: 48, count: 6)
                bytes += milliseconds.prefix(digits)
            case .offset(let hasColon): bytes += (hasColon ? "Z" : "+0000").utf8
            case .literal(let text): bytes += text
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// `nil` for any other text, also for a day or a weekday that does not exist.
    func date(from text: String) -> Date? {
        guard fault == nil else { return nil }
        var (fields, rest) = (Fields(), text.utf8[...])
        for part in parts { guard Self.read(part, &rest, into: &fields) else { return nil } }
        return rest.isEmpty ? Self.date(of: fields) : nil
    }

    private static func read(_ part: Part, _ rest: inout Substring.UTF8View, into fields: inout Fields) -> Bool {
        switch part {
        case .number(let field, let width):
            guard let number = digits(&rest, from: width, to: max(width, 2)) else { return false }
            fields[keyPath: field] = number
        case .halfHour(let width):
            guard let number = digits(&rest, from: width, to: 2) else { return false }
            fields.halfHour = number
        case .month:
            guard let month = name(&rest, of: months) else { return false }
            fields.month = month + 1
        case .weekday:
            guard let weekday = name(&rest, of: weekdays) else { return false }
            fields.weekday = weekday
        case .halfDay:
            guard let half = name(&rest, of: ["AM", "PM"]) else { return false }
            fields.isAfternoon = half == 1
        case .fraction:
            let run = rest.prefix { (48...57).contains($0) }
            guard !run.isEmpty else { return false }
            rest = rest.dropFirst(run.count)
            fields.milliseconds = (Array(run.prefix(3)) + [48, 48]).prefix(3).reduce(0) { $0 * 10 + Int($1) - 48 }
        case .offset(let hasColon):
            guard let offset = offset(&rest, hasColon) else { return false }
            fields.offset = offset
        case .literal(let text):
            guard rest.starts(with: text) else { return false }
            rest = rest.dropFirst(text.count)
        }
        return true
    }

    private static func digits(_ rest: inout Substring.UTF8View, from least: Int, to most: Int) -> Int? {
        let run = rest.prefix(most).prefix { (48...57).contains($0) }
        guard run.count >= least else { return nil }
        rest = rest.dropFirst(run.count)
        return run.reduce(0) { $0 * 10 + Int($1) - 48 }
    }

    /// The place of the name that `rest` begins with, in any case.
    private static func name(_ rest: inout Substring.UTF8View, of names: [String]) -> Int? {
        let place = names.firstIndex { name in
            rest.prefix(name.utf8.count).elementsEqual(name.utf8) { $0 | 0x20 == $1 | 0x20 }
        }
        if let place { rest = rest.dropFirst(names[place].utf8.count) }
        return place
    }

    /// `±hhmm`, or with a colon `±hh:mm` and `Z`, in seconds east of UTC.
    private static func offset(_ rest: inout Substring.UTF8View, _ hasColon: Bool) -> Int? {
        guard let first = rest.first else { return nil }
        rest = rest.dropFirst()
        if hasColon, first == UInt8(ascii: "Z") { return 0 }
        let sign = first == UInt8(ascii: "+") ? 1 : first == UInt8(ascii: "-") ? -1 : 0
        guard sign != 0, let hours = digits(&rest, from: 2, to: 2), hours < 24 else { return nil }
        if hasColon {
            guard rest.first == UInt8(ascii: ":") else { return nil }
            rest = rest.dropFirst()
        }
        guard let minutes = digits(&rest, from: 2, to: 2), minutes < 60 else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }

    private static func date(of fields: Fields) -> Date? {
        var hour = fields.hour
        if let halfHour = fields.halfHour {
            guard (1...12).contains(halfHour) else { return nil }
            hour = halfHour % 12 + (fields.isAfternoon ? 12 : 0)
        }
        guard (1...12).contains(fields.month), fields.day >= 1,
            fields.day <= GregorianDay.count(inMonth: fields.month, of: fields.year), hour < 24, fields.minute < 60,
            fields.second < 60
        else { return nil }
        let day = GregorianDay.number(year: fields.year, month: fields.month, day: fields.day)
        if let weekday = fields.weekday, weekday != self.weekday(day) { return nil }
        let seconds = day * 86_400 + hour * 3600 + fields.minute * 60 + fields.second - fields.offset
        return Date(timeIntervalSince1970: Double(seconds * 1000 + fields.milliseconds) / 1000)
    }

    private static func fields(of date: Date) -> Fields {
        // The years 0000 to 9999.
        let seconds = min(max(date.timeIntervalSince1970, -62_167_219_200), 253_402_300_799.999)
        let (day, inDay) = Int((seconds * 1000).rounded()).quotientAndRemainder(flooringBy: 86_400_000)
        var fields = Fields()
        (fields.year, fields.month, fields.day) = GregorianDay.date(ofNumber: day)
        (fields.hour, fields.minute) = (inDay / 3_600_000, inDay / 60_000 % 60)
        (fields.second, fields.milliseconds) = (inDay / 1000 % 60, inDay % 1000)
        fields.weekday = weekday(day)
        return fields
    }

    /// 1970-01-01 is a Thursday.
    private static func weekday(_ day: Int) -> Int { (day + 4).quotientAndRemainder(flooringBy: 7).remainder }

    private static func padded(_ number: Int, _ width: Int) -> [UInt8] {
        let digits = Array(String(number).utf8)
        return [UInt8](repeating: 48, count: max(0, width - digits.count)) + digits
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
}
