public import ArgumentParser
import FoundationEssentials
public import StrataDomain

/// An option for each field of an entity, for `add`, `edit` and the filters of `list`: `--started-at`.
///
/// The parser finds the options by a mirror of the value, so they can follow from the fields of the entity.
public struct EntityOptions<Content: Entity, Presence: OptionPresence>: ParsableArguments, CustomReflectable, Sendable {
    /// What was given, by name on the wire.
    public private(set) var values: [String: JSONValue] = [:]

    public init() {}

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: FieldKey.self)
        for field in Self.fields {
            let key = FieldKey(field.name)
            if Presence.isRequired(field) {
                values[field.name] = try container.decode(Option<JSONValue>.self, forKey: key).wrappedValue
            } else {
                values[field.name] = try container.decode(Option<JSONValue?>.self, forKey: key).wrappedValue
            }
        }
    }

    public var customMirror: Mirror {
        Mirror(
            self,
            children: Self.fields.map { field in
                let (name, help) = (Presence.option(field), ArgumentHelp(stringLiteral: Presence.help(field)))
                return (
                    field.name, Presence.isRequired(field) ? field.required(name, help) : field.optional(name, help)
                )
            })
    }

    private static var fields: [EntityField<Content>] { Content.fields.filter { Presence.isOffered($0) } }
}

/// Which options of `EntityOptions` must be given.
public protocol OptionPresence: Sendable {
    /// Default: true.
    static func isOffered<Content>(_ field: EntityField<Content>) -> Bool
    static func isRequired<Content>(_ field: EntityField<Content>) -> Bool
    /// The name of the option, without `--`. Default: that of the field.
    static func option<Content>(_ field: EntityField<Content>) -> String
    /// Default: the label and the valid texts.
    static func help<Content>(_ field: EntityField<Content>) -> String
}

extension OptionPresence {
    public static func isOffered<Content>(_ field: EntityField<Content>) -> Bool { true }
    public static func option<Content>(_ field: EntityField<Content>) -> String { field.option }
    public static func help<Content>(_ field: EntityField<Content>) -> String {
        "\(field.label.prefix(1).uppercased() + field.label.dropFirst()): \(field.argumentText)."
    }
}

/// For a new entity: the fields that must have a value.
public enum NewValues: OptionPresence {
    public static func isRequired<Content>(_ field: EntityField<Content>) -> Bool { !field.isOptional }
}

/// For an edit: none.
public enum ChangedValues: OptionPresence {
    public static func isRequired<Content>(_ field: EntityField<Content>) -> Bool { false }
}

/// For a list: the filterable fields, none of which must be given.
public enum FilterValues: OptionPresence {
    public static func isOffered<Content>(_ field: EntityField<Content>) -> Bool { field.isFilterable }
    public static func isRequired<Content>(_ field: EntityField<Content>) -> Bool { false }
    public static func option<Content>(_ field: EntityField<Content>) -> String { field.filterOption }
    public static func help<Content>(_ field: EntityField<Content>) -> String {
        field.kind == .words ? "Only those with this one of their \(field.label)." : NewValues.help(field)
    }
}

private struct FieldKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
}

extension EntityField {
    fileprivate func required(_ name: String, _ help: ArgumentHelp) -> Any {
        Option<JSONValue>(
            name: .customLong(name), parsing: parsing, help: help, completion: completion, transform: read)
    }

    fileprivate func optional(_ name: String, _ help: ArgumentHelp) -> Any {
        Option<JSONValue?>(
            name: .customLong(name), parsing: parsing, help: help, completion: completion, transform: read)
    }

    private var completion: CompletionKind? { choices.map { .list($0) } }

    /// A number may begin with a minus sign.
    private var parsing: SingleValueParsingStrategy { kind == .integer || kind == .number ? .unconditional : .next }

    /// The valid texts.
    fileprivate var argumentText: String { text == Date.fieldText ? TimeInput.forms : text }

    private func read(_ argument: String) throws -> JSONValue {
        if let value = parse(argument) { return value }
        if kind == .time, let date = TimeInput.current.date(argument) { return date.fieldValue }
        throw ValidationError("Give \(argumentText).")
    }
}
