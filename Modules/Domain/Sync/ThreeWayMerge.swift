/// Merges local edits into a newer remote row, field by field (O3 of the specification).
///
/// A field that only one side changed takes that side's value. A field that both sides changed to the same value keeps
/// it. A field that both sides changed differently is a conflict, which a user resolves. Clocks play no part.
public enum ThreeWayMerge {
    /// What a merge gives.
    public struct Outcome: Sendable, Hashable {
        /// The remote row with the local edits; a conflicting field has the local value.
        public var merged: [String: JSONValue]
        /// The fields in which `merged` differs from the remote row: they are still to be sent.
        public var localEdits: [String: JSONValue]
        /// Fields changed on both sides to different values, sorted.
        public var conflicts: [String]
    }

    /// - Parameters:
    ///   - base: The last state that both sides agreed on.
    ///   - local: The edited fields only.
    ///   - remote: The whole row in the server's current state.
    public static func merge(
        base: [String: JSONValue], local: [String: JSONValue], remote: [String: JSONValue]
    ) -> Outcome {
        var outcome = Outcome(merged: remote, localEdits: [:], conflicts: [])
        for (field, value) in local {
            let was = base[field] ?? .null
            let theirs = remote[field] ?? .null
            guard value != theirs else { continue }  // agreed
            guard value != was else { continue }  // touched, but not changed: theirs stands
            outcome.merged[field] = value
            outcome.localEdits[field] = value
            if theirs != was { outcome.conflicts.append(field) }
        }
        outcome.conflicts.sort()
        return outcome
    }
}
