import StrataDomain

/// The combined effect of the unsynchronised writes of one row.
enum LocalIntent: Hashable, Sendable {
    case nothing
    case create([String: JSONValue])
    case patch([String: JSONValue])
    case delete
    /// Deleted and created again under the same id.
    case replace([String: JSONValue])

    init(_ queue: [OutboxEntry]) {
        self = queue.reduce(.nothing) { $0.followed(by: $1.mutation) }
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
        // Another program deleted the row, then it was created again: the edit is kept.
        case (.patch(let old), .create): .replace(old.merging(fields) { $1 }.canonical)
        case (.delete, .create), (.replace, .create): .replace(fields)
        case (.delete, .patch): .delete
        }
    }

    /// The result of an intent on a remote row other than its base.
    enum Settlement: Hashable, Sendable {
        /// The rest, to be sent on top of the remote row.
        case agreed(LocalIntent)
        case conflict(fields: [String], reason: String)
    }

    /// Puts the intent on top of `remote`.
    ///
    /// - Parameters:
    ///   - base: The row as it was agreed on when the intent arose; `nil` when there was none.
    ///   - remote: The row as the server has it now; `nil` when it is gone.
    ///   - policy: Decides about fields that both sides changed to different values.
    func settled(
        from base: [String: JSONValue]?, onto remote: [String: JSONValue]?, by policy: MergePolicy = MergePolicy()
    ) -> Settlement {
        guard let remote else { return settledOntoNothing(from: base, by: policy) }
        switch self {
        case .nothing: return .agreed(.nothing)
        case .create(let fields), .patch(let fields):
            let outcome = ThreeWayMerge.merge(base: base ?? [:], local: fields, remote: remote)
            guard let edits = policy.settling(outcome.localEdits, overlapping: outcome.conflicts) else {
                return Self.bothChanged(policy.asking(outcome.conflicts))
            }
            return .agreed(edits.isEmpty ? .nothing : .patch(edits))
        case .delete:
            if remote == base { return .agreed(.delete) }
            return switch policy.deletion {
            case .ask: .conflict(fields: [], reason: "Deleted here, changed on the server.")
            case .deleteWins: .agreed(.delete)
            case .editWins: .agreed(.nothing)
            }
        case .replace(let fields):
            let edits = remote.edits(to: fields.canonical)
            let overlapping = remote == base ? [] : edits.keys.sorted()
            guard let rest = policy.settling(edits, overlapping: overlapping) else {
                return Self.bothChanged(policy.asking(overlapping))
            }
            return .agreed(rest.isEmpty ? .nothing : .patch(rest))
        }
    }

    private func settledOntoNothing(from base: [String: JSONValue]?, by policy: MergePolicy) -> Settlement {
        switch self {
        case .nothing, .delete: return .agreed(.nothing)
        case .create(let fields), .replace(let fields): return .agreed(.create(fields))
        case .patch(let fields):
            let changed = fields.filter { $0.value != base?[$0.key] ?? .null }
            if changed.isEmpty { return .agreed(.nothing) }
            return switch policy.deletion {
            case .ask: .conflict(fields: changed.keys.sorted(), reason: "Edited here, deleted on the server.")
            case .deleteWins: .agreed(.nothing)
            case .editWins: .agreed(.create((base ?? [:]).edited(with: changed)))
            }
        }
    }

    /// The intent as it must be sent to win over `remote`.
    ///
    /// - Parameter row: The whole row as it is here.
    func prevailing(over remote: [String: JSONValue]?, row: [String: JSONValue]?) -> LocalIntent {
        guard let row else {
            // The base row was deleted by another program; the edit is still there.
            guard case .patch(let fields) = self else { return remote == nil ? .nothing : .delete }
            return remote == nil ? .create(fields.canonical) : .patch(fields)
        }
        guard let remote else { return .create(row) }
        let edits =
            switch self {
            case .patch(let fields), .create(let fields): fields.filter { $0.value != remote[$0.key] ?? .null }
            case .nothing, .delete, .replace: remote.edits(to: row)
            }
        return edits.isEmpty ? .nothing : .patch(edits)
    }

    private static func bothChanged(_ fields: [String]) -> Settlement {
        .conflict(fields: fields, reason: "Changed here and on the server: \(fields.joined(separator: ", ")).")
    }
}
