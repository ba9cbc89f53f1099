public import ArgumentParser
import FoundationEssentials
public import StrataDomain

/// An option for each field of an entity, for `add`, `edit` and the filters of `list`: `--started-at`.
///
/// The parser finds the options by a mirror of the value, so they can follow from the fields of the entity.
public struct EntityOptions<Content: Entity, Presence: OptionPresence>: ParsableArguments, CustomReflectable, Sendable {
    /// What was given, by name on the wire; without texts that are read from a file or the standard input.
    public private(set) var values: [String: JSONValue] = [:]
    /// Paths and arguments, by name on the wire.
    private var texts: [String: String] = [:]

    public init() {}

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: WireName.self)
        for field in Self.fields {
            let key = WireName(field.name)
            switch (Presence.input(field), Presence.isRequired(field)) {
            case (.argument, _):
                texts[field.name] = try container.decode(Argument<String>.self, forKey: key).wrappedValue
            case (.file, true): texts[field.name] = try container.decode(Option<String>.self, forKey: key).wrappedValue
            case (.file, false):
                texts[field.name] = try container.decode(Option<String?>.self, forKey: key).wrappedValue
            case (.repeatedOption, _):
                let items = try container.decode(Option<[JSONValue]>.self, forKey: key).wrappedValue
                if !items.isEmpty { values[field.name] = .array(items) }
            case (.option, true):
                values[field.name] = try container.decode(Option<JSONValue>.self, forKey: key).wrappedValue
            case (.option, false):
                values[field.name] = try container.decode(Option<JSONValue?>.self, forKey: key).wrappedValue
            }
        }
    }

    public var customMirror: Mirror {
        Mirror(
            self,
            children: Self.fields.map { field in
                (
                    field.name,
                    field.argument(
                        Presence.option(field), Presence.input(field), isRequired: Presence.isRequired(field),
                        Presence.help(field), Presence.read(field))
                )
            })
    }

    var isEmpty: Bool { values.isEmpty && texts.isEmpty }

    /// All that was given, with the texts of files and of the standard input.
    public func values(_ console: Console) async throws -> [String: JSONValue] {
        var values = values
        for field in Self.fields {
            guard let text = texts[field.name] else { continue }
            let isArgument = Presence.input(field) == .argument
            if isArgument, text != "-" {
                values[field.name] = .string(text)
                continue
            }
            // The line break at the end of an argument is not meant.
            var read = try await console.text(of: text, limit: field.maximumBytes + (isArgument ? 2 : 0))
            if isArgument, read.last?.isNewline == true { read.removeLast() }
            values[field.name] = .string(read)
        }
        return values
    }

    private static var fields: [EntityField<Content>] { Content.fields.filter { Presence.isOffered($0) } }
}

/// Which options of `EntityOptions` there are, and which must be given.
public protocol OptionPresence: Sendable {
    /// Default: true.
    static func isOffered<Content>(_ field: EntityField<Content>) -> Bool
    /// Default: false.
    static func isRequired<Content>(_ field: EntityField<Content>) -> Bool
    /// The name of the option, without `--`. Default: that of the field.
    static func option<Content>(_ field: EntityField<Content>) -> String
    /// Default: an option.
    static func input<Content>(_ field: EntityField<Content>) -> FieldInput
    /// Default: the label and the valid texts.
    static func help<Content>(_ field: EntityField<Content>) -> String
    /// The value of an argument. Default: as the field reads it; of a time also as tables show it.
    static func read<Content>(_ field: EntityField<Content>) -> @Sendable (String) throws -> JSONValue
}

extension OptionPresence {
    public static func isOffered<Content>(_ field: EntityField<Content>) -> Bool { true }
    public static func isRequired<Content>(_ field: EntityField<Content>) -> Bool { false }
    public static func option<Content>(_ field: EntityField<Content>) -> String { field.option }
    public static func input<Content>(_ field: EntityField<Content>) -> FieldInput { .option }
    public static func help<Content>(_ field: EntityField<Content>) -> String {
        "\(field.label.prefix(1).uppercased() + field.label.dropFirst()): \(field.argumentText)."
    }
    public static func read<Content>(_ field: EntityField<Content>) -> @Sendable (String) throws -> JSONValue {
        { try field.read($0) }
    }
}

/// For a new entity: the fields that must have a value.
public enum NewValues: OptionPresence {
    public static func isRequired<Content>(_ field: EntityField<Content>) -> Bool {
        !field.mayBeOmitted && field.input != .repeatedOption
    }
    public static func input<Content>(_ field: EntityField<Content>) -> FieldInput { field.input }
}

/// For an edit: none.
public enum ChangedValues: OptionPresence {
    public static func input<Content>(_ field: EntityField<Content>) -> FieldInput {
        field.input == .argument ? .option : field.input
    }
}

/// For a list: the filterable fields, none of which must be given.
public enum FilterValues: OptionPresence {
    public static func isOffered<Content>(_ field: EntityField<Content>) -> Bool { field.isFilterable }
    public static func option<Content>(_ field: EntityField<Content>) -> String { field.filterOption }
    public static func help<Content>(_ field: EntityField<Content>) -> String {
        guard field.kind.isList else { return NewValues.help(field) }
        return "Only those with this one of their \(field.label)\(field.items)."
    }
    public static func read<Content>(_ field: EntityField<Content>) -> @Sendable (String) throws -> JSONValue {
        { text in field.kind.isList ? .array([try field.readItem(text)]) : try field.read(text) }
    }
}

/// For a list: the fields whose smaller values can be left out.
public enum LowerBounds: OptionPresence {
    public static func isOffered<Content>(_ field: EntityField<Content>) -> Bool { field.lowerBoundName != nil }
    public static func option<Content>(_ field: EntityField<Content>) -> String {
        (field.lowerBoundName ?? field.name).replacing("_", with: "-")
    }
    public static func help<Content>(_ field: EntityField<Content>) -> String {
        field.kind == .time
            ? "Only those since then: \(TimeInput.startForms)." : "Only those from here on: \(field.argumentText)."
    }
    public static func read<Content>(_ field: EntityField<Content>) -> @Sendable (String) throws -> JSONValue {
        { text in
            guard field.kind == .time else { return try field.read(text) }
            do throws(DomainError) { return try TimeInput.current.start(text).fieldValue } catch {
                throw ValidationError(error.description)
            }
        }
    }
}

extension EntityField {
    fileprivate func argument(
        _ option: String, _ input: FieldInput, isRequired: Bool, _ help: String,
        _ read: @escaping @Sendable (String) throws -> JSONValue
    ) -> Any {
        let name = NameSpecification.customLong(option)
        switch input {
        case .argument: return Argument<String>(help: "\(help) - reads it from standard input.")
        case .file:
            let help = ArgumentHelp("A file with the \(label), or - for standard input.", valueName: "path")
            return isRequired
                ? Option<String>(name: name, help: help, completion: .file()) as Any
                : Option<String?>(name: name, help: help, completion: .file())
        case .repeatedOption:
            let help: ArgumentHelp = "One of the \(label)\(items); may be repeated."
            return Option<[JSONValue]>(
                wrappedValue: [], name: name, parsing: parsing == .next ? .singleValue : .unconditionalSingleValue,
                help: help, completion: completion, transform: { try readItem($0) })
        case .option:
            let help = ArgumentHelp("\(help)", valueName: kind == .time ? "time" : nil)
            return isRequired
                ? Option<JSONValue>(
                    name: name, parsing: parsing, help: help, completion: completion, transform: read) as Any
                : Option<JSONValue?>(
                    name: name, parsing: parsing, help: help, completion: completion, transform: read)
        }
    }

    private var completion: CompletionKind? {
        choices.map { .list($0) } ?? (reference?.target).map { .ids(of: $0.collection) }
    }

    /// A number may begin with a minus sign.
    private var parsing: SingleValueParsingStrategy {
        switch kind {
        case .integer, .number, .integers, .numbers: .unconditional
        case .text, .flag, .time, .words, .json: .next
        }
    }

    /// The elements of a list, where they are not any text: `, each one of low, high`.
    fileprivate var items: String { itemText == String.fieldText ? "" : ", each \(itemText)" }

    /// The valid texts.
    var argumentText: String {
        if let target = reference?.target { return "an id of the \(target.plural), its end, or a name" }
        return text == Date.fieldText ? TimeInput.forms : text
    }

    fileprivate func readItem(_ argument: String) throws -> JSONValue {
        guard let item = parseItem(argument) else { throw ValidationError("Give \(itemText).") }
        return item
    }

    /// A text that names another entity is resolved when the command runs.
    func read(_ argument: String) throws -> JSONValue {
        if reference != nil, !argument.isEmpty { return .string(argument) }
        if let value = parse(argument) { return value }
        if kind == .time, let date = TimeInput.current.date(argument) { return date.fieldValue }
        throw ValidationError("Give \(argumentText).")
    }
}
