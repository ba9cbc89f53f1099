import StrataDomain

/// What the unsynchronised writes of one row amount to, whatever their number.
enum LocalIntent: Hashable, Sendable {
    case nothing
    case create([String: JSONValue])
    case patch([String: JSONValue])
    case delete
    /// Deleted and made anew under the same id.
    case replace([String: JSONValue])

    init(_ lane: [OutboxEntry]) {
        self = lane.reduce(.nothing) { $0.followed(by: $1.mutation) }
    }

    private func followed(by write: Mutation) -> LocalIntent {
        let fields = write.fields.touched
        return switch (self, write.operation) {
        case (.nothing, .create), (.create, .create): .create(fields)
        case (.nothing, .patch): .patch(fields)
        case (.nothing, .delete), (.patch, .delete), (.delete, .delete), (.replace, .delete): .delete
        case (.create(let old), .patch): .create(old.merging(fields) { $1 })
        case (.create, .delete): .nothing
        case (.patch(let old), .patch): .patch(old.merging(fields) { $1 })
        case (.replace(let old), .patch): .replace(old.merging(fields) { $1 })
        case (.patch, .create), (.delete, .create), (.replace, .create): .replace(fields)
        case (.delete, .patch): .delete
        }
    }

    /// What became of an intent when the remote row turned out to be another one than it was meant for.
    enum Settlement: Hashable, Sendable {
        /// What remains to be sent on top of the remote row.
        case agreed(LocalIntent)
        case disputed(fields: [String], reason: String)
    }

    /// Puts the intent on top of `remote`.
    ///
    /// - Parameters:
    ///   - base: The row as it was agreed on when the intent arose; `nil` when there was none.
    ///   - remote: The row as the server has it now; `nil` when it is gone.
    func settled(from base: [String: JSONValue]?, onto remote: [String: JSONValue]?) -> Settlement {
        guard let remote else { return settledOntoNothing(from: base) }
        switch self {
        case .nothing: return .agreed(.nothing)
        case .create(let fields), .patch(let fields):
            let outcome = ThreeWayMerge.merge(base: base ?? [:], local: fields, remote: remote)
            guard outcome.conflicts.isEmpty else { return Self.bothChanged(outcome.conflicts) }
            return .agreed(outcome.localEdits.isEmpty ? .nothing : .patch(outcome.localEdits))
        case .delete:
            return remote == base
                ? .agreed(.delete) : .disputed(fields: [], reason: "Deleted here, changed on the server.")
        case .replace(let fields):
            let edits = remote.edits(to: fields.canonical)
            if edits.isEmpty { return .agreed(.nothing) }
            return remote == base ? .agreed(.patch(edits)) : Self.bothChanged(edits.keys.sorted())
        }
    }

    private func settledOntoNothing(from base: [String: JSONValue]?) -> Settlement {
        switch self {
        case .nothing, .delete: return .agreed(.nothing)
        case .create(let fields), .replace(let fields): return .agreed(.create(fields))
        case .patch(let fields):
            let changed = fields.filter { $0.value != base?[$0.key] ?? .null }
            if changed.isEmpty { return .agreed(.nothing) }
            return .disputed(fields: changed.keys.sorted(), reason: "Edited here, deleted on the server.")
        }
    }

    /// The intent as it must be sent to win over `remote`.
    ///
    /// - Parameter row: The whole row as it is here.
    func prevailing(over remote: [String: JSONValue]?, row: [String: JSONValue]?) -> LocalIntent {
        guard let row else { return remote == nil ? .nothing : .delete }
        guard let remote else { return .create(row) }
        let edits =
            switch self {
            case .patch(let fields), .create(let fields): fields.filter { $0.value != remote[$0.key] ?? .null }
            case .nothing, .delete, .replace: remote.edits(to: row)
            }
        return edits.isEmpty ? .nothing : .patch(edits)
    }

    private static func bothChanged(_ fields: [String]) -> Settlement {
        .disputed(fields: fields, reason: "Changed here and on the server: \(fields.joined(separator: ", ")).")
    }
}
