import FoundationEssentials

/// An encoded value with what is needed to use it.
struct StoredEntry: Sendable, Hashable {
    /// Name of the type that was stored; another type is a miss.
    var type: String
    var span: EntrySpan
    var tags: Set<String>
    var payload: Data

    init(type: String, span: EntrySpan, tags: Set<String>, payload: Data) {
        self.type = type
        self.span = span
        self.tags = tags
        self.payload = payload
    }

    /// The entry of a record; `nil` when it is none.
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
