import StrataDomain

/// A decoded value in memory, of a type that only its reader knows.
// Sendable proof: all properties are constants of Sendable types, here and in the only subclass.
class HeldValue: @unchecked Sendable {
    let span: EntrySpan
    let tags: Set<String>
    /// Of the same value on disk.
    let revision: Int64

    fileprivate init(span: EntrySpan, tags: Set<String>, revision: Int64) {
        self.span = span
        self.tags = tags
        self.revision = revision
    }

    static func holding<Value: Sendable>(
        _ value: Value, span: EntrySpan, tags: Set<String>, revision: Int64
    ) -> HeldValue { TypedValue(value, span: span, tags: tags, revision: revision) }

    /// - Returns: `nil` when the value is of another type.
    func value<Value: Sendable>(as type: Value.Type) -> CachedValue<Value>? { (self as? TypedValue<Value>)?.value }
}

// Sendable proof: as above.
private final class TypedValue<Value: Sendable>: HeldValue, @unchecked Sendable {
    let value: CachedValue<Value>

    init(_ value: Value, span: EntrySpan, tags: Set<String>, revision: Int64) {
        self.value = CachedValue(value: value, storedAt: span.storedAt, freshUntil: span.freshUntil)
        super.init(span: span, tags: tags, revision: revision)
    }
}
