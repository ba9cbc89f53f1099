import FoundationEssentials
import JournalDomain
import StrataConcurrency
import StrataDomain

extension Date {
    /// 2026-01-01T10:00:00Z.
    static let newYear = Date(timeIntervalSince1970: 1_767_261_600)

    init(_ text: String) throws {
        struct NoTime: Error {}
        guard let date = RFC3339.date(from: text) else { throw NoTime() }
        self = date
    }
}

extension JournalEntry {
    static func example(
        _ id: String = "e1", host: String = "web1", severity: Severity = .info, text: String = "seen",
        after seconds: Double = 0, runbookId: String? = nil, version: Int = 1
    ) -> JournalEntry {
        JournalEntry(
            id: ID(id), host: host, severity: severity, text: text,
            occurredAt: .newYear.addingTimeInterval(seconds), runbookId: runbookId, version: version,
            updatedAt: .newYear)
    }
}

extension JournalItem {
    static func example(
        _ id: String = "e1", host: String = "web1", severity: Severity = .info, text: String = "seen",
        after seconds: Double = 0, runbookId: String? = nil, state: State = .synced
    ) -> JournalItem {
        JournalItem(
            entry: .example(id, host: host, severity: severity, text: text, after: seconds, runbookId: runbookId),
            state: state)
    }
}

/// Numbers bytes as they come: never equal for different bytes, which is all a test needs.
struct PlainIdentity: LineIdentity {
    private static let numbers = Mutex<[[UInt8]: Int]>([:])

    func id(for bytes: [UInt8]) -> String {
        Self.numbers.withLock { numbers in
            let number = numbers[bytes] ?? numbers.count
            numbers[bytes] = number
            return "id-\(number)"
        }
    }
}
