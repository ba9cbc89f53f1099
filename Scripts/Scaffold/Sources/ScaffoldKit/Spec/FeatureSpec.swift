/// What a feature is to be: its name, what it holds, and what the client keeps of it.
package struct FeatureSpec: Sendable, Hashable {
    /// One of them, `Incident`: the entity, and the name of the record under `.scaffold/features`.
    package let name: Spelling
    /// Several, `Incidents`: the folder, and the start of every module's name (`IncidentsDomain`).
    package let plural: Spelling
    package let fields: [Field]
    package let policy: Policy

    /// What the client keeps.
    package enum Policy: String, Sendable, Hashable, CaseIterable {
        /// Nothing: every read and write asks the server.
        case remote
        /// The last answers: reads work without the server, writes do not.
        case cached
        /// Everything: reads and writes work without the server, and are synchronised later.
        case offline
    }

    package init(name: Spelling, plural: Spelling, fields: [Field], policy: Policy) {
        self.name = name
        self.plural = plural
        self.fields = fields
        self.policy = policy
    }

    /// The folder under `Modules/Features` and `Tests/Features`, and the start of every module's name: `Incidents`.
    package var module: String { plural.upperCamel }
    /// What comes after `/v1/`: `incidents`.
    package var route: String { plural.kebab }
    /// The server's and the client's table: `incidents`.
    package var table: String { plural.snake }
    /// The word on the command line: `incidents`.
    package var command: String { plural.kebab }
    /// The fields as they are written on the command line; reading them again gives the same fields.
    package var fieldsText: String { fields.map(\.description).joined(separator: " ") }
    /// The features whose Domain this one has to see, each once, in order.
    package var references: [FeatureReference] {
        var seen: Set<FeatureReference> = []
        return fields.compactMap { field in
            guard case .reference(let other) = field.kind, seen.insert(other).inserted else { return nil }
            return other
        }
    }
}
