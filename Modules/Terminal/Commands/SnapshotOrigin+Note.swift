public import FoundationEssentials
public import StrataDomain

extension SnapshotOrigin {
    /// What to say about a value that did not just come from the server; `nil` for one that did.
    public func note(at now: Date) -> String? {
        switch self {
        case .server, .local: nil
        case .cache(let storedAt): "from the cache, \(TimeText.age(of: storedAt, at: now)) old"
        case .stale(let storedAt, let reason): "stale, \(TimeText.age(of: storedAt, at: now)) old: \(reason)"
        }
    }
}
