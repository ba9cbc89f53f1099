import FoundationEssentials
import StrataDomain

/// An outbox entry as JSON: the mutation and its state.
struct OutboxView: Encodable {
    var id: String
    var state: String
    var operation: String
    var collection: String
    var entityId: String
    var baseVersion: Int?
    var fields: [String: JSONValue]
    var at: Date
    var attempts: Int
    var nextAttemptAt: Date?
    var error: String?

    init(_ entry: OutboxEntry) {
        id = entry.id
        state = entry.state.rawValue
        operation = entry.mutation.operation.rawValue
        collection = entry.mutation.collection
        entityId = entry.mutation.entityId
        baseVersion = entry.mutation.baseVersion
        fields = entry.mutation.fields
        at = entry.mutation.at
        attempts = entry.attempts
        nextAttemptAt = entry.nextAttemptAt
        error = entry.error
    }
}

extension JSONValue {
    /// Strings unchanged, other values as JSON.
    var shortText: String {
        if case .string(let text) = self { return text }
        return (try? WireJSON.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "?"
    }
}
