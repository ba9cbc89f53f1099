/// The answers from which a feature is made.
package struct FeatureSpec: Scaffolded {
    package static let noun = "feature"
    package static let home = "Features"

    /// One of them, `Incident`: the entity, and the name of the record under `.scaffold/features`.
    package let name: Spelling
    /// Several, `Incidents`: the folder, and the start of every module's name (`IncidentsDomain`).
    package let plural: Spelling
    package let fields: [Field]
    package let policy: Policy
    package let ownership: Ownership

    /// What the client keeps.
    package enum Policy: String, Sendable, Hashable, CaseIterable {
        /// Nothing: every read and write asks the server.
        case remote
        /// The last responses: reads work without the server, writes do not.
        case cached
        /// Everything: reads and writes work without the server, and are synchronised later.
        case offline
    }

    /// To whom a row belongs; the server enforces it.
    package enum Ownership: String, Sendable, Hashable, CaseIterable {
        case everyone
        /// Only the author and administrators see and change it.
        case author
        /// All users see it; the author and administrators change it.
        case readableByAll = "readable-by-all"
        /// The members of its space see and change it, as their roles say.
        case space

        /// The case of Strata's `Ownership`.
        var swift: String { self == .readableByAll ? "readableByAll" : rawValue }
    }

    package init(
        name: Spelling, plural: Spelling, fields: [Field], policy: Policy, ownership: Ownership = .everyone
    ) {
        (self.name, self.plural, self.fields) = (name, plural, fields)
        (self.policy, self.ownership) = (policy, ownership)
    }

    /// The folder under `Modules/Features` and `Tests/Features`, and the start of every module's name: `Incidents`.
    package var module: String { plural.upperCamel }
    package var modules: [String] { Self.parts.map { module + $0 } }
    /// The ends of its modules' names.
    static let parts = ["Domain", "API", "Data", "Service", "Presentation"]

    /// The word on the command line: `incidents`.
    package var command: String { plural.kebab }
    /// The fields as they are written on the command line; reading them again gives the same fields.
    package var fieldsText: String { fields.map(\.description).joined(separator: " ") }

    /// Other entities whose ids are fields, each once, in order.
    var references: [String] {
        var seen: Set<String> = []
        return fields.compactMap { field in
            guard case .reference(let entity, _) = field.kind, seen.insert(entity).inserted else { return nil }
            return entity
        }
    }

    package var answers: String {
        "--plural \(plural.upperCamel) --policy \(policy.rawValue) --owner \(ownership.rawValue) --fields '\(fieldsText)'"
    }

    func adding(_ field: Field) -> FeatureSpec {
        FeatureSpec(name: name, plural: plural, fields: fields + [field], policy: policy, ownership: ownership)
    }
}

extension FeatureSpec {
    private struct Stored: Codable {
        let name: String
        let plural: String
        let fields: String
        let policy: String
        /// Missing in records of version 1: everyone.
        let owner: String?
    }

    package init(from decoder: any Decoder) throws {
        let stored = try Stored(from: decoder)
        let names = try FeatureNames.read(stored.name, plural: stored.plural)
        guard let policy = Policy(rawValue: stored.policy) else {
            throw ScaffoldRefusal(
                "'\(stored.policy.printable)' is no policy of a feature; restore the record of '\(stored.name)'.")
        }
        self.init(
            name: names.name, plural: names.plural, fields: try FieldParser.parse(stored.fields), policy: policy,
            ownership: stored.owner.flatMap(Ownership.init) ?? .everyone)
    }

    package func encode(to encoder: any Encoder) throws {
        try Stored(
            name: name.upperCamel, plural: plural.upperCamel, fields: fieldsText, policy: policy.rawValue,
            owner: ownership.rawValue
        ).encode(to: encoder)
    }
}
