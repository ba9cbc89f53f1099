/// What a field was in earlier versions of the program.
package struct FieldHistory: Sendable {
    /// Its earlier names, oldest first, which is still that of its columns.
    package var formerNames: [String] = []
    /// Whether programs of the version before get a former name or a removed field, and may send it.
    package var isServed = false
    /// The value of today for one that the field does not accept; returns `nil` for one without.
    var convert: (@Sendable (JSONValue) -> JSONValue?)?
    /// The value that stands for one that cannot be converted.
    var otherwise = JSONValue.null
    /// Whether rows from before may have no value, though the field must have one.
    package var mayLackValue = false
    /// The removed field whose values became those of this one.
    package var origin: FieldOrigin?
    /// Names of the steps that a client's database takes, each once.
    package var steps: [String] = []
}

/// A removed field whose values another one has now.
package struct FieldOrigin: Sendable {
    /// Of the removed field, on the wire and in tables.
    package let name: String
    /// The value of today; `nil` for one that cannot be converted.
    package let forward: @Sendable (JSONValue) -> JSONValue?
    /// What programs of the version before read. A value that differs from it was written by one of them.
    package let back: @Sendable (JSONValue) -> JSONValue
}

extension EntityField {
    /// The same field, called `name` before. The columns of server and clients keep that name. Of several, the oldest is stated first.
    ///
    /// - Parameter isServed: Whether programs of the version before still get the old name, beside the new one, and may send it.
    ///   Default: `true`; `false` from the version after the change on.
    public func renamed(from name: String, isServed: Bool = true) -> Self {
        var field = self
        field.history.formerNames.append(name)
        field.history.isServed = isServed
        field.history.steps.append("\(name)-renamed-\(self.name)")
        return field
    }

    /// The same field without the choice `old`: rows and writes that have it read as `new`.
    public func replacing(_ old: String, by new: some FieldChoice) -> Self {
        converting("\(name)-without-\(old)", otherwise: nil) { [old = JSONValue.string(old), new = new.fieldValue] in
            $0 == old ? new : nil
        }
    }

    /// The same field, which may have no value until the version before: rows and writes without one read as `value`.
    public func required(insteadOfNone value: some FieldValue) -> Self {
        let new = value.fieldValue
        var field = converting("\(name)-required", otherwise: nil) { $0 == .null ? new : nil }
        if field.initial == nil { field = field.initially { _ in new } }
        field.history.mayLackValue = true
        return field
    }

    /// The same field with a narrower type: a text became a choice, or got a form. The column keeps its type.
    ///
    /// - Parameters:
    ///   - value: Stands for texts that cannot be converted. The column keeps such a text until the field gets another value,
    ///     and the server tells the row.
    ///   - convert: The value of a text that the field does not accept; `nil` for one without.
    public func narrowed<Value: TextFieldValue>(
        otherwise value: Value, _ convert: @escaping @Sendable (String) -> Value?
    ) -> Self {
        converting("\(name)-narrowed", otherwise: value.fieldValue) { $0.string.flatMap(convert)?.fieldValue }
    }

    /// The same field, whose values come from those of another type in `Entity.removedFields`. It is new: `.since(version)`.
    ///
    /// While that field is served, its column has `back` of each value, and a value of an older program becomes the one of this field.
    ///
    /// - Parameters:
    ///   - name: Of the removed field, which must have another one: programs of the version before read it.
    ///   - value: Stands for values that cannot be converted. The old column keeps them, and the server tells the rows.
    ///   - forward: The value of today; `nil` for one that cannot be converted.
    ///   - back: The value that programs of the version before read.
    public func retyped<Old: FieldValue, Value: FieldValue>(
        from name: String, otherwise value: Value, _ forward: @escaping @Sendable (Old) -> Value?,
        back: @escaping @Sendable (Value) -> Old
    ) -> Self {
        let none = isOptional
        var field = self
        field.history.origin = FieldOrigin(name: name) { old in
            if old == .null { return none ? .null : value.fieldValue }
            return Old(fieldValue: old).flatMap(forward)?.fieldValue
        } back: { new in
            Value(fieldValue: new).map(back)?.fieldValue ?? .null
        }
        field.history.otherwise = value.fieldValue
        field.history.steps.append("\(name)-retyped-\(self.name)")
        return field
    }

    private func converting(
        _ step: String, otherwise value: JSONValue?, _ convert: @escaping @Sendable (JSONValue) -> JSONValue?
    ) -> Self {
        var field = self
        let earlier = history.convert
        field.history.convert = { earlier?($0) ?? convert($0) }
        if let value { field.history.otherwise = value }
        field.history.steps.append(step)
        return field
    }

    /// Name of the column.
    package var column: String { history.formerNames.first ?? name }

    /// The former name on the wire, as long as it is served.
    package var servedName: String? { history.isServed ? history.formerNames.last : nil }

    /// The former name of the filter on the wire, as long as it is served.
    var formerFilterName: String? { isFilterable && filterName == name ? servedName : nil }

    /// Whether rows may be stored in a form from before.
    package var hasStoredForms: Bool { history.convert != nil || history.origin != nil }

    /// The value of today.
    ///
    /// - Returns: `nil` for one that cannot be converted.
    package func converted(_ value: JSONValue) -> JSONValue? {
        if accepts(value) { return value }
        return history.convert?(value).flatMap { accepts($0) ? $0 : nil }
    }

    /// The same, and what stands for a value that cannot be converted; without such a value, the one that the field refuses.
    package func present(_ value: JSONValue) -> JSONValue {
        converted(value) ?? (history.otherwise == .null ? value : history.otherwise)
    }
}
