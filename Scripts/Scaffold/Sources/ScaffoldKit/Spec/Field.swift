/// A value that each item of a feature has, beside the identifier, version and times that all have.
package struct Field: Sendable, Hashable, CustomStringConvertible {
    /// `startedAt`.
    package let name: String
    package let kind: Kind
    package let isOptional: Bool
    /// No two items have the same value.
    package let isUnique: Bool
    /// The value appears in no log and no description.
    package let isRedacted: Bool

    package init(
        _ name: String, _ kind: Kind, isOptional: Bool = false, isUnique: Bool = false, isRedacted: Bool = false
    ) {
        self.name = name
        self.kind = kind
        self.isOptional = isOptional
        self.isUnique = isUnique
        self.isRedacted = isRedacted
    }

    package enum Kind: Sendable, Hashable {
        /// One line of so many bytes. Default `1...200`.
        case string(ClosedRange<Int>)
        /// Lines of up to 64 KiB.
        case text
        /// A whole number, within the bounds where given.
        case int(ClosedRange<Int>?)
        case double
        case bool
        /// A moment, as RFC 3339 text on the wire.
        case date
        case uuid
        /// An absolute `http` or `https` address.
        case url
        /// One of these words, in this order.
        case choice([String])
        /// The identifier of an item of another feature.
        case reference(FeatureReference)
    }

    /// `started_at`: the column.
    package var column: String { spelling.snake }
    /// `started-at`: the option on the command line.
    package var option: String { spelling.kebab }
    /// `StartedAt` and its other ways.
    package var spelling: Spelling { Spelling(name.prefix(1).uppercased() + name.dropFirst()) }

    /// `note:text?`, as on the command line.
    package var description: String {
        "\(name):\(kind)" + (isOptional ? "?" : "") + (isUnique ? ":unique" : "") + (isRedacted ? ":redact" : "")
    }
}

/// The thing a reference points to, `Runbook`, and the feature that has it, `Runbooks`.
package struct FeatureReference: Sendable, Hashable {
    package let entity: String
    package let module: String

    package init(entity: String, module: String) {
        self.entity = entity
        self.module = module
    }
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
        case .reference(let other): "reference(\(other.entity))"
        }
    }
}
