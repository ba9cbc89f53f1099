public import FoundationEssentials

/// One field of an entity: its name on the wire, its rule, and how it is stored and shown.
public struct EntityField<Root>: Sendable {
    /// Name on the wire and in tables: `started_at`.
    public let name: String
    /// Name on the terminal. Default: the name with spaces.
    public private(set) var label: String
    /// Name of the option, without `--`. Default: the name with hyphens.
    public private(set) var option: String
    /// How the value is stored and written.
    public let kind: FieldKind
    /// Whether an entity may have no value.
    public let isOptional: Bool
    /// No two entities have the same value.
    public private(set) var isUnique = false
    /// The value is left out of lists and logs.
    public private(set) var isRedacted = false
    /// A list can be limited to the entities with one value: `?level=high`, `list --level high`; for a list, to those with one element.
    public private(set) var isFilterable = false
    /// The name of the filter on the wire. Default: the name.
    public private(set) var filterName: String
    /// A list can be limited to the entities with a part of the text: `?q=disk`, `list --search disk`.
    public private(set) var isSearchable = false
    /// A list can be in the order of the values: `?sort=-level`, `list --sort -level`.
    public private(set) var isSortable = false
    /// The name of the item that leaves out smaller values of a list: `?since=2026-11-21T09:05:00Z`, `list --since 12h`. `nil`: none.
    public private(set) var lowerBoundName: String?
    /// The entity that the value names, for a field of ids. `nil`: none, or one that the server does not check.
    public private(set) var reference: EntityReference?
    /// How a command reads the value.
    public private(set) var input = FieldInput.option
    /// Most bytes of a text.
    public let maximumBytes: Int
    /// The version of the table that first had the column. Default: 1.
    public private(set) var version = 1
    /// The values, where there are a few.
    public let choices: [String]?
    /// Whether the value may have several lines.
    public let isLong: Bool
    /// The valid texts, for help and errors: `one line of 1 to 40 bytes`.
    public let text: String
    private let makeSchema: @Sendable () -> JSONSchema
    /// A valid value for tests and documents; samples with different numbers differ where the type has several values.
    public let sample: @Sendable (_ number: Int) -> JSONValue
    private let makeFlaw: @Sendable () -> JSONValue?
    /// The value; `.null` for none.
    public let value: @Sendable (Root) -> JSONValue
    let check: @Sendable (Root, inout FieldCheck) -> Void
    /// Checks a value of the right type under another name.
    let checkValue: @Sendable (String, JSONValue, inout FieldCheck) -> Void
    /// Checks the value of a filter, for a list an array with one element.
    let checkItem: @Sendable (String, JSONValue, inout FieldCheck) -> Void
    /// The value of a new entity that was sent without one; `nil`: none.
    private(set) var initial: (@Sendable (NewEntityContext) -> JSONValue?)?
    /// The value that a user wrote; `nil` for a text of another type.
    public let parse: @Sendable (String) -> JSONValue?
    /// One element of a list that a user wrote; for a field that is no list, the same as `parse`.
    public let parseItem: @Sendable (String) -> JSONValue?
    /// The valid texts of one element of a list; for a field that is no list, `text` without its rule.
    public let itemText: String
    /// Sets the value; `.null` takes it away. Returns whether it has the type of the field.
    let assign: @Sendable (inout Root, JSONValue) -> Bool
    /// Whether a value has the type of the field. Its rule is not checked.
    public let accepts: @Sendable (JSONValue) -> Bool
    /// Whether the column takes no other value than the field: not so for texts with a form, such as a URL.
    public let isPlain: Bool
    /// What the field was in earlier versions of the program.
    package internal(set) var history = FieldHistory()

    /// A field whose value every entity has.
    public init<Value: FieldValue>(
        _ name: String, _ path: any WritableKeyPath<Root, Value> & Sendable, _ rule: FieldRule<Value> = .any
    ) {
        self.init(name, rule, isOptional: false) {
            $0[keyPath: path]
        } set: { root, value in
            if let value { root[keyPath: path] = value }
        }
    }

    /// A field whose value may be missing.
    public init<Value: FieldValue>(
        _ name: String, _ path: any WritableKeyPath<Root, Value?> & Sendable, _ rule: FieldRule<Value> = .any
    ) {
        self.init(name, rule, isOptional: true) {
            $0[keyPath: path]
        } set: { root, value in
            root[keyPath: path] = value
        }
    }

    /// A field that the entity has no longer, for `Entity.removedFields`. Its column stays.
    ///
    /// - Parameters:
    ///   - value: What the column of a new row gets. Programs of the version before read it.
    ///   - isServed: Whether they still get the field, with the value of the column, and may send it, without effect. Default:
    ///     `true`; `false` from the version after the removal on.
    public init<Value: FieldValue>(
        _ name: String, removed value: Value, _ rule: FieldRule<Value> = .any, isServed: Bool = true
    ) {
        self.init(name, rule, isOptional: false) { _ in
            value
        } set: { _, _ in
        }
        history.isServed = isServed
    }

    /// The same for a field that may lack a value: no program gets it any more.
    public init<Value: FieldValue>(
        _ name: String, removed value: Value?, _ rule: FieldRule<Value> = .any, isServed: Bool = true
    ) {
        self.init(name, rule, isOptional: true) { _ in
            value
        } set: { _, _ in
        }
        history.isServed = isServed
    }

    /// - Parameter set: Leaves a field that must have a value as it is when there is none.
    private init<Value: FieldValue>(
        _ name: String, _ rule: FieldRule<Value>, isOptional: Bool, get: @escaping @Sendable (Root) -> Value?,
        set: @escaping @Sendable (inout Root, Value?) -> Void
    ) {
        (self.name, filterName) = (name, name)
        (label, option) = (name.replacing("_", with: " "), name.replacing("_", with: "-"))
        (kind, choices) = (Value.fieldKind, Value.fieldChoices)
        isPlain = kind != .text || choices != nil || Value.self == String.self
        self.isOptional = isOptional
        (isLong, text, maximumBytes) = (rule.isLong, rule.text, rule.maximumBytes)
        makeSchema = { Value.fieldSchema.merging(rule.schema()).described(rule.text) }
        (parse, parseItem) = (Value.fieldValue(of:), Value.fieldItem(of:))
        itemText = Value.fieldItemText
        if kind.isList { input = .repeatedOption }
        sample = { rule.sample(name, $0).fieldValue }
        makeFlaw = { rule.flaw()?.fieldValue }
        value = { get($0)?.fieldValue ?? .null }
        let isNested = kind == .json
        check = { root, check in
            guard let value = get(root) else { return }
            if isNested, Self.isTooLarge(value.fieldValue, name, &check) { return }
            rule.check(name, value, &check)
        }
        checkValue = { name, json, check in
            if isNested, json != .null, Self.isTooLarge(json, name, &check) { return }
            if let value = Value(fieldValue: json) { rule.check(name, value, &check) }
        }
        checkItem = { name, value, check in
            if let value = Value(fieldValue: value) { (rule.checkItem ?? rule.check)(name, value, &check) }
        }
        accepts = { Value(fieldValue: $0) != nil || isOptional && $0 == .null }
        assign = { root, value in
            let new = Value(fieldValue: value)
            set(&root, new)
            return new != nil || isOptional && value == .null
        }
    }

    /// Refuses a nested value with too many bytes.
    private static func isTooLarge(_ value: JSONValue, _ name: String, _ check: inout FieldCheck) -> Bool {
        guard NestedText.stored(value) == nil else { return false }
        check.refuse(name, "must be a JSON object of at most \(NestedText.limit) bytes")
        return true
    }

    /// The type and the rule, without `null`. Made at each call.
    public var schema: JSONSchema { makeSchema() }

    /// A value of the right type that breaks the rule; `nil` where every value is valid. Made at each call: no program needs one.
    public var flaw: JSONValue? { makeFlaw() }

    private func with(_ change: (inout Self) -> Void) -> Self {
        var field = self
        change(&field)
        return field
    }

    /// The same field with another name on the terminal and for its option.
    public func named(_ label: String, option: String) -> Self {
        with { ($0.label, $0.option) = (label, option) }
    }

    /// The same field, with a different value in every entity. For values of at most 1000 bytes, which every engine can index.
    public var unique: Self { with { $0.isUnique = true } }

    /// The same field, added to the table by migration `version`, 2 or more; rows that were written before have no value.
    public func since(_ version: Int) -> Self { with { $0.version = version } }

    /// The same field, shown only on request.
    public var redacted: Self { with { $0.isRedacted = true } }

    /// The same field, with an index and a filter of lists. For values of at most 1000 bytes. A released field stays filterable: the database has its index.
    public var filterable: Self { with { $0.isFilterable = true } }

    /// The same field, with a filter that has a name of its own: `tag` for the elements of `tags`.
    public func filterable(as name: String) -> Self {
        filterable.with { $0.filterName = name }
    }

    /// The same field, whose value is the id of a stored `Target`, with a filter and a foreign key. The field is of the type `Target.ID`.
    ///
    /// The server refuses a write that names no `Target` which its author sees (422), by REST and by synchronisation. Commands take an
    /// id, its end or a name, and lists show the name. `GET /v1/TARGETS/{id}/ENTITIES` lists the entities that name a `Target`; of
    /// several fields with one target, by the first.
    ///
    /// State it with the field: a column that is there already gets no foreign key, and the server checks its new values only.
    /// An entity cannot refer to its own kind, nor two kinds to each other.
    ///
    /// - Parameter rule: What the deletion of a `Target` does. Default: it is refused while entities name it.
    public func references<Target: Entity>(_ target: Target.Type, onDelete rule: DeleteRule = .restrict) -> Self {
        filterable.with { $0.reference = EntityReference(target: target, onDelete: rule) }
    }

    /// Name of the option of the filter, without `--`.
    public var filterOption: String { filterName == name ? option : filterName.replacing("_", with: "-") }

    /// The same field, with an item of lists that leaves out smaller values, and entities without a value: `since` for a time.
    public func lowerBound(as name: String) -> Self { with { $0.lowerBoundName = name } }

    /// The same field with a value for new entities that are sent without one.
    ///
    /// Server and commands use the same value: the server with its clock, a command with that of its machine.
    ///
    /// - Parameter value: `nil` where there is none: the field must then be sent.
    public func initially(_ value: @escaping @Sendable (NewEntityContext) -> JSONValue?) -> Self {
        with { $0.initial = value }
    }

    /// The same field, read by commands in another way than from an option with its value, or for a list from an option for each element.
    public func read(_ input: FieldInput) -> Self { with { $0.input = input } }

    /// Whether a command can leave it without a value.
    package var mayBeCleared: Bool { isOptional || kind.isList }
    /// The value of a field without one: a list that is not optional is empty.
    package var noValue: JSONValue { isOptional ? .null : .array([]) }

    /// Whether a new entity may be sent without a value.
    public var mayBeOmitted: Bool { isOptional || initial != nil }

    /// The same field, read by a search. For texts; a search reads every row that the filters leave.
    public var searchable: Self { with { $0.isSearchable = true } }

    /// The same field, with an index and an order of lists. For values of at most 1000 bytes, because a cursor has the value.
    /// A released field stays sortable: the database has its index.
    public var sortable: Self { with { $0.isSortable = true } }
}

/// How a command reads the value of a field.
public enum FieldInput: Sendable, Hashable {
    /// `--level high`.
    case option
    /// The argument of the command; `-` reads standard input, less one line break at its end.
    case argument
    /// An option with the path of a file that has the text; `-` is standard input.
    case file
    /// An option for each element of a list; none is an empty list.
    case repeatedOption
}

/// What the values of a new entity can depend on.
public struct NewEntityContext: Sendable {
    /// The time of the write.
    public let now: Date
    /// The machine that the entity comes from; `nil` when that is not known.
    public let host: String?

    /// The time and the machine of a write; `host` is `nil` where it is not known.
    public init(now: Date, host: String?) { (self.now, self.host) = (now, host) }
}
