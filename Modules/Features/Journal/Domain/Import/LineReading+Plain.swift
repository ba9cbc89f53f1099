import FoundationEssentials
import StrataDomain

extension LineReading {
    /// Any line of text; a leading RFC 3339 time, with `T` or a space inside, is when it occurred.
    init(plain line: String, host: String, now: Date) throws(LineProblem) {
        guard let (date, text) = Self.leadingTime(line) else {
            self.init(entry: JournalEntry(host: host, text: line, occurredAt: now), hasOwnTime: false)
            return
        }
        guard !text.isEmpty else { throw LineProblem("has a time but no text") }
        self.init(entry: JournalEntry(host: host, text: text, occurredAt: date), hasOwnTime: true)
    }

    /// A line of `dpkg.log`: `2026-01-01 10:00:00 status installed foo:amd64 1.0`, in local time.
    init(dpkg line: String, host: String, localTime: inout LocalTime) throws(LineProblem) {
        let words = line.utf8.split(separator: UInt8(ascii: " "), maxSplits: 2)
        guard words.count > 1, let day = String(words[0]), let time = String(words[1]),
            let date = localTime.date(day: day, time: time)
        else { throw LineProblem("does not begin with a time like 2026-01-01 10:00:00") }
        guard words.count == 3, let text = String(words[2]) else { throw LineProblem("has a time but no text") }
        self.init(entry: JournalEntry(host: host, text: text, occurredAt: date), hasOwnTime: true)
    }

    private static func leadingTime(_ line: String) -> (Date, String)? {
        let bytes = line.utf8
        // Cheap, for the many lines that begin otherwise: four digits and a hyphen.
        guard let hyphen = bytes.index(bytes.startIndex, offsetBy: 4, limitedBy: bytes.endIndex),
            hyphen < bytes.endIndex, bytes[hyphen] == UInt8(ascii: "-")
        else { return nil }
        var end = bytes.startIndex
        for _ in 0..<2 {
            guard end < bytes.endIndex else { return nil }
            let from = end == bytes.startIndex ? end : bytes.index(after: end)
            end = bytes[from...].firstIndex { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") } ?? bytes.endIndex
            if let date = RFC3339.date(from: String(line[..<end])) {
                return (date, String(line[end...].drop { $0 == " " || $0 == "\t" }))
            }
        }
        return nil
    }
}
