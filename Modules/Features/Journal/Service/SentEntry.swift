import FoundationEssentials
import JournalDomain
import StrataDomain
import StrataService

/// A new entry as a client sends it, with the defaults of the fields that it left out.
struct SentEntry {
    var id: JournalEntry.ID?
    /// `nil` when the client named none.
    let host: String?
    /// Its host is empty when the client named none.
    let entry: JournalEntry
    /// Whether the time is the client's and not that of the arrival.
    var hasTime: Bool

    /// - Parameter time: The time of an entry without one.
    /// - Throws: `WireJSON.Failure` for a field that is missing or of another type.
    init(_ fields: [String: JSONValue], time: Date, in table: EntityTable<JournalEntry>) throws {
        var given = fields.filter { $0.value != .null }
        // Few senders choose the id.
        id = given["id"] == nil ? nil : try JSONValue.object(given).decode(Chosen.self).id
        (host, hasTime) = (given["host"]?.string, given["occurred_at"] != nil)
        if given["host"] == nil { given["host"] = .string("") }
        if given["severity"] == nil { given["severity"] = Severity.info.fieldValue }
        if !hasTime { given["occurred_at"] = time.fieldValue }
        entry = try table.content(of: given)
    }

    private struct Chosen: Decodable {
        var id: JournalEntry.ID
    }
}
