/// Puts unsynchronised edits on top of a newer remote row, field by field (O3 of the specification).
///
/// A field that only one side changed takes that side's value; one that both changed to the same value is agreed; one
/// that both changed differently is a conflict, and a person decides. No clock is asked.
public enum ThreeWayMerge {
    public struct Outcome: Sendable, Hashable {
        /// The remote row with the local edits on top; for conflicting fields the local value.
        public var merged: [String: JSONValue]
        /// The fields in which `merged` still differs from the remote row: what remains to be sent.
        public var localEdits: [String: JSONValue]
        /// Fields changed on both sides to different values, sorted.
        public var conflicts: [String]
    }

    /// - Parameters:
    ///   - base: The row as both sides last agreed on it.
    ///   - local: The touched fields only.
    ///   - remote: The whole row as the server has it now.
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
