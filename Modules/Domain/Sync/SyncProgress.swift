/// How far a run of the engine is.
public enum SyncProgress: Sendable, Hashable {
    /// Writes that the server has answered, of those that waited when sending began.
    case sending(Int, of: Int)
    /// Rows that have come from the server and are stored.
    case receiving(Int)
}
