import FoundationEssentials
import StrataDomain
import StrataOffline

/// The row of these runs: shaped, stored and indexed like a journal entry.
struct LogRow: OfflineRow {
    static let collectionName = "logs"
    static let databaseTableName = "log"
    static let table = """
        CREATE TABLE log (
            id TEXT PRIMARY KEY, host TEXT NOT NULL, severity TEXT NOT NULL, text TEXT NOT NULL,
            occurred_at INTEGER NOT NULL, runbook_id TEXT, version INTEGER NOT NULL, updated_at INTEGER NOT NULL);
        CREATE INDEX log_newest ON log (occurred_at DESC, id DESC);
        """
    static let migrations = [OfflineMigration("1", table)]
    static let columns: [OfflineColumn]? = [
        OfflineColumn("host", .text), OfflineColumn("severity", .text, choices: ["info", "warning", "critical"]),
        OfflineColumn("text", .text), OfflineColumn("occurred_at", .time),
        OfflineColumn("runbook_id", .text, isOptional: true), .version,
        .updatedAt,
    ]

    var id: String
    var host: String
    var severity: String
    var text: String
    var occurredAt: Date
    var runbookId: String?
    var version: Int
    var updatedAt: Date

    enum CodingKeys: String, CodingKey {
        case id, host, severity, text, version
        case occurredAt = "occurred_at"
        case runbookId = "runbook_id"
        case updatedAt = "updated_at"
    }

    init(id: String, fields: WireFields, stamp: RowStamp) throws {
        self.id = id
        host = try fields.string("host")
        severity = try fields.string("severity")
        text = try fields.string("text")
        occurredAt = try fields.time("occurred_at")
        runbookId = try fields.optionalString("runbook_id")
        version = stamp.version
        updatedAt = stamp.updatedAt
    }
}

/// The content of row `number`, the same everywhere.
struct Sample {
    let number: Int

    var id: String { "01a1fde7-\(Self.hex(number >> 16))-7097-a2cd-0000\(Self.hex(number >> 12))\(Self.hex(number))" }
    var host: String { "web\(number % 40)" }
    var severity: String { number % 50 == 0 ? "critical" : number % 7 == 0 ? "warning" : "info" }
    var text: String {
        "Unit nginx.service entered the failed state with result exit-code, attempt \(number) of the day"
    }
    /// Not quite in the order of the ids, as when people write up what happened before.
    var occurredAt: Int { 1_795_262_400_000 + number * 37 - number % 13 * 60_000 }

    private static func hex(_ number: Int) -> String {
        let digits = String(number & 0xFFFF, radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}
