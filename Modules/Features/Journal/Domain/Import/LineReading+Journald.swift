import FoundationEssentials
import StrataDomain

extension LineReading {
    /// A line of `journalctl -o json` (systemd.journal-fields(7)); `host` stands in for a missing `_HOSTNAME`.
    init(journald line: String, host: String) throws(LineProblem) {
        let record: JournaldRecord
        do { record = try JSONDecoder().decode(JournaldRecord.self, from: Data(line.utf8)) } catch {
            throw LineProblem("is no JSON object of 'journalctl -o json'")
        }
        guard let microseconds = record.realtime.flatMap(Int64.init),
            case let seconds = Double(microseconds / 1000) / 1000, (0...253_402_300_799).contains(seconds)
        else { throw LineProblem("has no usable __REALTIME_TIMESTAMP") }
        guard let message = record.message else { throw LineProblem("has no MESSAGE") }
        guard let text = message.text else { throw LineProblem("has a MESSAGE that is not UTF-8 text") }
        let name = record.hostname ?? ""
        let entry = JournalEntry(
            host: name.isEmpty ? host : name, severity: record.severity, text: text,
            occurredAt: Date(timeIntervalSince1970: seconds))
        self.init(entry: entry, hasOwnTime: true)
    }
}

/// The fields of a journal record that are read; the others are skipped.
private struct JournaldRecord: Decodable {
    enum CodingKeys: String, CodingKey {
        case realtime = "__REALTIME_TIMESTAMP"
        case message = "MESSAGE"
        case hostname = "_HOSTNAME"
        case priority = "PRIORITY"
    }

    var realtime: String?
    var message: Message?
    var hostname: String?
    var priority: String?

    /// 0 to 3 (emerg, alert, crit, err) are critical, 4 is a warning (syslog(3)).
    var severity: Severity {
        switch priority.flatMap(Int.init) {
        case .some(0...3): .critical
        case 4: .warning
        default: .info
        }
    }

    /// Text, or the bytes of what journald could not show as text, or several of one name.
    enum Message: Decodable {
        case text(String)
        case bytes([UInt8])
        case several([String])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let text = try? container.decode(String.self) {
                self = .text(text)
            } else if let bytes = try? container.decode([UInt8].self) {
                self = .bytes(bytes)
            } else {
                self = .several(try container.decode([String].self))
            }
        }

        var text: String? {
            switch self {
            case .text(let text): text
            case .bytes(let bytes): String(validating: bytes, as: UTF8.self)
            case .several(let texts): texts.joined(separator: "\n")
            }
        }
    }
}
