import StrataDomain

/// The outcome of a write at another API, as the transaction of its acknowledgement needs it.
struct RemoteOutcome: Sendable {
    /// Never `.unknown` and never a conflict without a row: those are looked up before.
    var outcome: PushOutcome
    var shapes: RemoteShapes
}
