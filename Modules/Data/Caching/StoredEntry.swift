import FoundationEssentials
import StrataDomain
import StrataSystem

/// The encoded value of a key, as it lies on disk.
struct StoredEntry: Sendable, Hashable {
    /// Name of the type that was stored; a read of another type is a miss.
    var type: String
    var span: EntrySpan
    var tags: Set<String>
    var payload: Data
}

extension StoredEntry {
    /// `nil` when the record holds no entry.
    init?(_ record: DiskRecord) {
        var reader = ByteReader(record.head)
        guard let storedAt = try? reader.date(), let freshUntil = try? reader.date(), let type = try? reader.text()
        else { return nil }
        self.init(
            type: type, span: EntrySpan(storedAt: storedAt, freshUntil: freshUntil, keptUntil: record.keptUntil),
            tags: record.tags, payload: record.body)
    }

    var record: DiskRecord {
        var writer = ByteWriter()
        writer.write(span.storedAt)
        writer.write(span.freshUntil)
        writer.write(type)
        return DiskRecord(head: writer.bytes, body: payload, keptUntil: span.keptUntil, tags: tags)
    }
}

/// When a value was stored, until when it is fresh, and until when it is kept.
struct EntrySpan: Sendable, Hashable {
    var storedAt: Date
    var freshUntil: Date
    var keptUntil: Date

    init(storedAt: Date, freshUntil: Date, keptUntil: Date) {
        self.storedAt = storedAt
        self.freshUntil = freshUntil
        self.keptUntil = keptUntil
    }

    init(storedAt: Date, lifetime: Duration, staleFor: Duration) {
        self.storedAt = storedAt
        freshUntil = storedAt.addingTimeInterval(max(0, lifetime.inSeconds))
        keptUntil = freshUntil.addingTimeInterval(staleFor.inSeconds)
    }

    func isOver(at now: Date) -> Bool { now >= keptUntil }
}
