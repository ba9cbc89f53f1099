import StrataDomain

/// A decoded value of some type, and what is known of it.
final class HeldContent: Sendable {
    let span: EntrySpan
    let tags: Set<String>
    /// Of the same value on disk.
    let stamp: DiskRecord.Stamp
    private let type: ObjectIdentifier
    private let box: any AnyObject & Sendable

    private final class Box<Value: Sendable>: Sendable {
        /// Made once: to make it takes look-ups of types in the runtime.
        let answer: CachedValue<Value>?
        init(_ answer: CachedValue<Value>?) { self.answer = answer }
    }

    init<Value: Sendable>(_ value: Value, span: EntrySpan, tags: Set<String>, stamp: DiskRecord.Stamp) {
        (self.span, self.tags, self.stamp) = (span, tags, stamp)
        type = ObjectIdentifier(Value.self)
        box = Box(CachedValue(value: value, storedAt: span.storedAt, freshUntil: span.freshUntil))
    }

    /// - Returns: `nil` when the value is of another type.
    func answer<Value: Sendable>(_ type: Value.Type) -> CachedValue<Value>? {
        guard self.type == ObjectIdentifier(type) else { return nil }
        // Safe: `init` sets type and box together. A checked cast would look up types in the runtime, in a hit that takes
        // less than a third of a microsecond.
        return unsafeDowncast(box, to: Box<Value>.self).answer
    }
}
