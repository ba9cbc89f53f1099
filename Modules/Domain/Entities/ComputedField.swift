/// A value that follows from the others. It is shown and never stored; no write can set it.
///
/// ```swift
/// static let computedFields: [ComputedField<Shift>] = [
///     .init("hours") { "\($0.endsAt.timeIntervalSince($0.startsAt) / 3600) h" },       // for people
///     .init(sent: "hours_worked") { $0.endsAt.timeIntervalSince($0.startsAt) / 3600 },  // also in JSON: a column of the server
/// ]
/// ```
public struct ComputedField<Content: Entity>: Sendable {
    /// As in a heading: `hours open`.
    public let name: String
    /// The text that is shown for an entity.
    public let text: @Sendable (Stored<Content>) -> String
    /// What is sent; `nil` for a value that is only shown.
    package let sent: SentValue?

    /// A value on the wire.
    package struct SentValue: Sendable {
        /// `hours_worked`.
        package let name: String
        /// `.null` for none, which is left out.
        package let value: @Sendable (Content) -> JSONValue
        let makeSchema: @Sendable () -> JSONSchema
    }

    /// A value that commands show.
    public init(_ name: String, _ text: @escaping @Sendable (Stored<Content>) -> String) {
        (self.name, self.text, sent) = (name, text, nil)
    }

    /// A value that the server computes and sends in each response with the entity, besides its fields. Commands show it, and export it on
    /// request. A write that has it is accepted, and its value is not used. Synchronisation does not send it: each side computes it.
    ///
    /// - Parameters:
    ///   - wireName: As on the wire, and in headings with spaces; no name of a field.
    ///   - value: `nil` for none. Made of each row that is sent, so it must be quick.
    public init<Value: FieldValue>(sent wireName: String, _ value: @escaping @Sendable (Content) -> Value?) {
        let json: @Sendable (Content) -> JSONValue = { content in
            let json = value(content)?.fieldValue ?? .null
            // JSON has no infinite number.
            if case .number(let number) = json, !number.isFinite { return .null }
            return json
        }
        name = wireName.replacing("_", with: " ")
        text = { item in
            let value = json(item.content)
            return value == .null ? "none" : value.filterText
        }
        sent = SentValue(name: wireName, value: json) { Value.fieldSchema.described(Value.fieldText) }
    }
}

extension Entity {
    /// The computed values that are sent.
    package static var sentValues: [ComputedField<Self>.SentValue] { computedFields.compactMap(\.sent) }
}
