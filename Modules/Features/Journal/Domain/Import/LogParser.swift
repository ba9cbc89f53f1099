package import FoundationEssentials
import StrataDomain

/// Reads the lines of a log, one at a time, without keeping any.
package struct LogParser: Sendable {
    package let format: LogFormat
    /// The machine of lines that name none.
    package let host: String
    private var localTime: LocalTime

    /// - Parameter timeZone: In which lines without an offset tell the time.
    package init(_ format: LogFormat, host: String, timeZone: TimeZone) {
        self.format = format
        self.host = host
        localTime = LocalTime(timeZone)
    }

    /// - Parameters:
    ///   - bytes: The line without its line feed; a carriage return at its end is ignored.
    ///   - number: Of the line, from 1.
    ///   - now: When a line without a time of its own occurred.
    package mutating func parse(_ bytes: [UInt8], number: Int, now: Date) -> ParsedLine {
        let content = bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes[...]
        if content.allSatisfy({ $0 == 0x20 || (0x09...0x0D).contains($0) }) { return .blank }
        do throws(LineProblem) {
            guard let line = String(validating: content, as: UTF8.self) else { throw LineProblem("is not UTF-8 text") }
            let reading = try read(line, now: now)
            // A record may hold a message of spaces.
            if JournalEntry.isBlank(reading.entry.text), !reading.entry.text.isEmpty { return .blank }
            return .entry(try reading.entry.validatedLine(), hasOwnTime: reading.hasOwnTime)
        } catch {
            return .failure(LineFailure(line: number, reason: error.reason, bytes: content))
        }
    }

    private mutating func read(_ line: String, now: Date) throws(LineProblem) -> LineReading {
        switch format {
        case .lines: try LineReading(plain: line, host: host, now: now)
        case .dpkg: try LineReading(dpkg: line, host: host, localTime: &localTime)
        case .journaldJSON: try LineReading(journald: line, host: host)
        }
    }
}

/// Why a line cannot be an entry: the rest of a sentence that begins with the line.
struct LineProblem: Error {
    let reason: String
    init(_ reason: String) { self.reason = reason }
}

/// A line, understood.
struct LineReading {
    var entry: JournalEntry
    var hasOwnTime: Bool
}

extension JournalEntry {
    fileprivate func validatedLine() throws(LineProblem) -> JournalEntry {
        do { return try validated() } catch {
            guard case .validation(let sentence, let fields) = error else { throw LineProblem("\(error)") }
            throw LineProblem(
                fields.isEmpty ? sentence : fields.map { "\($0.field) \($0.message)" }.joined(separator: "; "))
        }
    }
}
