/// The rules for a row that was changed here and on the server in ways that cannot be merged.
///
/// It decides only about fields that both sides changed to different values: a field that one side changed takes that
/// side's value. No rule uses a clock. The default loses nothing: the user decides.
public struct MergePolicy: Sendable, Hashable {
    /// For a field that both sides changed to different values.
    public enum FieldRule: String, Sendable, Hashable, CaseIterable {
        /// The row waits in the conflict list.
        case ask
        /// The server's value stands and the local edit is dropped: for fields that the server computes.
        case serverWins
        /// The edit that reaches the server last stands, which is the local one: for fields such as a draft's text.
        case lastEdit
    }

    /// For a row that one side deleted while the other changed it.
    public enum DeletionRule: String, Sendable, Hashable, CaseIterable {
        /// The row waits in the conflict list, is deleted, or stays with the change.
        case ask, deleteWins, editWins
    }

    /// For every field that `overrides` does not name.
    public var fields: FieldRule
    /// The rules of some fields, by name.
    public var overrides: [String: FieldRule]
    /// The rule for a row that one side deleted.
    public var deletion: DeletionRule

    /// Asks the user, but for what is given.
    public init(fields: FieldRule = .ask, overrides: [String: FieldRule] = [:], deletion: DeletionRule = .ask) {
        self.fields = fields
        self.overrides = overrides
        self.deletion = deletion
    }

    /// The rule of the field.
    public func rule(for field: String) -> FieldRule { overrides[field] ?? fields }

    /// The `edits` that the rules keep, of which `overlapping` overlap with the remote row.
    ///
    /// - Returns: `nil` when the user has to decide about one of them.
    func settling<Value>(_ edits: [String: Value], overlapping: [String]) -> [String: Value]? {
        var rest = edits
        for field in overlapping {
            switch rule(for: field) {
            case .ask: return nil
            case .serverWins: rest[field] = nil
            case .lastEdit: break
            }
        }
        return rest
    }

    /// The fields about which the user has to decide.
    func asking(_ overlapping: [String]) -> [String] { overlapping.filter { rule(for: $0) == .ask } }
}
