/// Collects the errors of an input by field. Client and server run the same checks.
public struct FieldCheck: Sendable {
    /// The fields that were refused, in order.
    public private(set) var errors: [FieldError] = []

    /// A check that has refused nothing.
    public init() {}

    /// Refuses the field, with what it must be.
    public mutating func refuse(_ field: String, _ message: String) {
        errors.append(FieldError(field: field, message: message))
    }

    /// Text of a length in UTF-8 bytes, without control characters other than tab and line breaks.
    public mutating func text(_ field: String, _ value: String, bytes: ClosedRange<Int>) {
        let count = value.utf8.count
        if !bytes.contains(count) {
            let found = count == 0 ? "it is empty" : "it has \(count)"
            refuse(field, "must have \(bytes.lowerBound) to \(bytes.upperBound) bytes; \(found)")
        }
        let isControl: (UInt8) -> Bool = { ($0 < 0x20 && ![0x09, 0x0A, 0x0D].contains($0)) || $0 == 0x7F }
        if value.utf8.contains(where: isControl) { refuse(field, "must not contain control characters") }
    }

    /// Text without spaces, such as the name of a machine.
    public mutating func word(_ field: String, _ value: String, bytes: ClosedRange<Int>) {
        text(field, value, bytes: bytes)
        if value.utf8.contains(where: { $0 <= 0x20 }) { refuse(field, "must not contain spaces") }
    }

    /// - Throws: `.validation` with `sentence` if a field was refused.
    public func orThrow(_ sentence: String) throws(DomainError) {
        guard errors.isEmpty else { throw .validation(sentence, fields: errors) }
    }
}
