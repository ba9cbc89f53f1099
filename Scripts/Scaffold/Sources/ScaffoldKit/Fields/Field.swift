/// A value of an entity, beside id, version and times that every entity has.
package struct Field: Sendable, Hashable, CustomStringConvertible {
    /// `startedAt`.
    package let name: String
    package let kind: Kind
    package let isOptional: Bool
    package let marks: Set<Mark>

    package init(_ name: String, _ kind: Kind, isOptional: Bool = false, _ marks: Set<Mark> = []) {
        (self.name, self.kind, self.isOptional, self.marks) = (name, kind, isOptional, marks)
    }

    package indirect enum Kind: Sendable, Hashable {
        /// One line of so many bytes. Default `1...200`.
        case string(ClosedRange<Int>)
        /// Lines of up to 64 KiB.
        case text
        /// A whole number, within the bounds where given.
        case int(ClosedRange<Int>?)
        case double
        case bool
        /// A time, as RFC 3339 text on the wire.
        case date
        case uuid
        /// An absolute `http` or `https` address.
        case url
        /// One of these words, in this order.
        case choice([String])
        /// The id of an entity of another feature, such as `Runbook`, and what the deletion of that one does. Users are no entity: their
        /// ids are not checked.
        case reference(String, DeleteRule = .restrict)

        /// Several texts of one line, whole numbers, numbers or choices: at most 100.
        case list(Kind)

        /// The kind of the elements of a list; itself for another one.
        var element: Kind { if case .list(let kind) = self { kind } else { self } }

        static let user = "User"
    }

    /// The cases of Strata's `DeleteRule`.
    package enum DeleteRule: String, Sendable, Hashable, CaseIterable { case restrict, cascade, clear }

    /// What follows a kind after `:`, in this order.
    package enum Mark: String, Sendable, Hashable, CaseIterable {
        /// Different in every entity.
        case unique
        /// Left out of lists and logs.
        case redact
        /// `list --severity high`.
        case filter
        /// `list --search TEXT` looks into it.
        case search
        /// `list --sort started-at`.
        case sort

        /// The property of `EntityField`.
        var property: String {
            switch self {
            case .unique: ".unique"
            case .redact: ".redacted"
            case .filter: ".filterable"
            case .search: ".searchable"
            case .sort: ".sortable"
            }
        }
    }

    /// `started_at`: the column.
    package var column: String { spelling.snake }
    /// `StartedAt` and its other ways.
    package var spelling: Spelling { Spelling(name.prefix(1).uppercased() + name.dropFirst()) }

    /// The same field, which may be missing.
    package var optional: Field { Field(name, kind, isOptional: true, marks) }

    /// `note:text?`, as on the command line.
    package var description: String {
        "\(name):\(kind)" + (isOptional ? "?" : "") + order(marks).map { ":\($0.rawValue)" }.joined()
    }

    private func order(_ marks: Set<Mark>) -> [Mark] { Mark.allCases.filter(marks.contains) }
}

extension Field.Kind: CustomStringConvertible {
    package var description: String {
        switch self {
        case .string(let bytes): "string(\(bytes.lowerBound)..\(bytes.upperBound))"
        case .text: "text"
        case .int(nil): "int"
        case .int(let range?): "int(\(range.lowerBound)..\(range.upperBound))"
        case .double: "double"
        case .bool: "bool"
        case .date: "date"
        case .uuid: "uuid"
        case .url: "url"
        case .choice(let words): "enum(\(words.joined(separator: ",")))"
        case .reference(let entity, .restrict): "reference(\(entity))"
        case .reference(let entity, let rule): "reference(\(entity),\(rule.rawValue))"
        case .list(let kind): "list(\(kind))"
        }
    }
}

// MARK: - As Swift

extension Field {
    /// The row in the list of fields, without its comma.
    ///
    /// - Parameter version: The migration that adds the column; `nil` for the first.
    func row(since version: Int? = nil) -> String {
        // A reference is filterable by itself.
        ".init(\"\(column)\", \\.\(name)\(rule))" + relation
            + order(relation.isEmpty ? marks : marks.subtracting([.filter])).map(\.property).joined()
            + (version.map { ".since(\($0))" } ?? "")
    }

    private var relation: String {
        guard case .reference(let entity, let rule) = kind, entity != Kind.user else { return "" }
        return ".references(\(entity).self\(rule == .restrict ? "" : ", onDelete: .\(rule.rawValue)"))"
    }

    /// `var severity: Severity`.
    var property: String { "var \(name): \(type)\(isOptional ? "?" : "")" }

    /// The type that comes with the field: `enum Severity: String, FieldChoice { case low, high }`.
    var choices: String? {
        guard case .choice(let words) = kind.element else { return nil }
        return "enum \(spelling.upperCamel): String, FieldChoice { case \(words.joined(separator: ", ")) }"
    }

    /// Whether its type is one of FoundationEssentials.
    var needsFoundation: Bool { [.date, .uuid, .url].contains(kind) }

    private var type: String { type(kind) }

    private func type(_ kind: Kind) -> String {
        switch kind {
        case .string, .text: "String"
        case .int: "Int"
        case .double: "Double"
        case .bool: "Bool"
        case .date: "Date"
        case .uuid: "UUID"
        case .url: "URL"
        case .choice: spelling.upperCamel
        case .reference(let entity, _): "\(entity).ID"
        case .list(let kind): "[\(type(kind))]"
        }
    }

    private var rule: String { rule(kind) }

    private func rule(_ kind: Kind) -> String {
        switch kind {
        case .list(let kind):
            let element = rule(kind).drop { $0 == "," || $0 == " " }
            return element.isEmpty ? ", .list()" : ", .list(of: \(element))"
        case .string(let bytes): return ", .line(\(Self.range(bytes)))"
        case .text: return ", .lines(1...65_536)"
        case .int(let range?): return ", .within(\(Self.range(range)))"
        case .url: return ", .web"
        case .int(nil), .double, .bool, .date, .uuid, .choice, .reference: return ""
        }
    }

    private static func range(_ range: ClosedRange<Int>) -> String {
        let high = range.upperBound < 0 ? "(\(number(range.upperBound)))" : number(range.upperBound)
        return "\(number(range.lowerBound))...\(high)"
    }

    /// In groups of three digits from five digits on, as the formatter writes it.
    private static func number(_ number: Int) -> String {
        let digits = Array("\(number.magnitude)")
        guard digits.count > 4 else { return "\(number)" }
        let grouped = digits.enumerated().map { index, digit in
            index > 0 && (digits.count - index) % 3 == 0 ? "_\(digit)" : "\(digit)"
        }
        return (number < 0 ? "-" : "") + grouped.joined()
    }
}
