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
        let parts = String(decoding: record.head, as: UTF8.self).split(separator: " ", maxSplits: 2)
        guard parts.count == 3, let storedAt = Double(parts[0]), let freshUntil = Double(parts[1]) else { return nil }
        let span = EntrySpan(
            storedAt: Date(timeIntervalSinceReferenceDate: storedAt),
            freshUntil: Date(timeIntervalSinceReferenceDate: freshUntil), keptUntil: record.keptUntil)
        self.init(type: String(parts[2]), span: span, tags: record.tags, payload: record.body)
    }

    var record: DiskRecord {
        DiskRecord(
            head: Self.head(type, span.storedAt, span.freshUntil), body: payload, keptUntil: span.keptUntil, tags: tags)
    }

    static func head(_ type: String, _ storedAt: Date, _ freshUntil: Date) -> Data {
        let times = [storedAt, freshUntil].map(\.timeIntervalSinceReferenceDate)
        return Data("\(times[0]) \(times[1]) \(type)".utf8)
    }

    /// The entity tags of the pages, if the value is a list that has any.
    var entityTags: [String] {
        struct List: Decodable {
            struct Page: Decodable { let entityTag: String }
            let pages: [Page]
        }
        return (try? JSONDecoder().decode(List.self, from: payload))?.pages.map(\.entityTag) ?? []
    }
}

/// When a value was stored, and until when it is fresh and may be used.
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
