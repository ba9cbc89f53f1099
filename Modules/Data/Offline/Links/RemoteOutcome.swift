import StrataDomain

/// The outcome of a write at another API, as the transaction of its acknowledgement needs it.
struct RemoteOutcome: Sendable {
    /// Never `.unknown` and never a conflict without a row: those are looked up before.
    var outcome: PushOutcome
    /// Whether the row of a create was deleted at the server before its answer arrived.
    var isGone = false
    var shapes: RemoteShapes
}
