/// A decoded value of some type, and what is known of it.
final class HeldContent: Sendable {
    let span: EntrySpan
    let tags: Set<String>
    /// Of the same value on disk.
    let stamp: DiskRecord.Stamp
    private let type: ObjectIdentifier
    private let box: any AnyObject & Sendable

    private final class Box<Value: Sendable>: Sendable {
        let value: Value
        init(_ value: Value) { self.value = value }
    }

    init<Value: Sendable>(_ value: Value, span: EntrySpan, tags: Set<String>, stamp: DiskRecord.Stamp) {
        (self.span, self.tags, self.stamp) = (span, tags, stamp)
        type = ObjectIdentifier(Value.self)
        box = Box(value)
    }

    /// - Returns: `nil` when the value is of another type.
    func value<Value: Sendable>(_ type: Value.Type) -> Value? {
        guard self.type == ObjectIdentifier(type) else { return nil }
        // Safe: `init` sets type and box together. A checked cast would look up types in the runtime, in a hit that takes
        // less than a quarter of a microsecond.
        return unsafeDowncast(box, to: Box<Value>.self).value
    }
}
