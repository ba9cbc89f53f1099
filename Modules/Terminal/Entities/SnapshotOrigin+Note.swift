public import FoundationEssentials
public import StrataDomain

extension SnapshotOrigin {
    /// A note for a value from the cache; `nil` for a value that just came from the server.
    public func note(at now: Date) -> String? {
        switch self {
        case .server, .local: nil
        case .cache(let storedAt): "from the cache, \(TimeText.age(of: storedAt, at: now)) old"
        case .stale(let storedAt, let reason): "stale, \(TimeText.age(of: storedAt, at: now)) old: \(reason)"
        }
    }
}
