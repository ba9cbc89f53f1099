/// The progress of one sync run.
public enum SyncProgress: Sendable, Hashable {
    /// Writes with a result, of those in the outbox when the run began.
    case sending(Int, of: Int)
    /// Rows received and stored.
    case receiving(Int)
}
