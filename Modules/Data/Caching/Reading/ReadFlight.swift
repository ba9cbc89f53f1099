import StrataDomain

/// What a flight fetches: one key, read as one type.
struct ReadKey: Sendable, Hashable {
    let key: CacheKey
    private let type: ObjectIdentifier

    init<Value>(_ key: CacheKey, _ type: Value.Type) {
        self.key = key
        self.type = ObjectIdentifier(type)
    }
}

/// A fetch under way and those who wait for it.
struct ReadFlight {
    typealias Answer = Result<Arrival, DomainError>

    let key: ReadKey
    let tags: Set<String>
    /// Ends after the value is stored.
    let task: Task<Void, Never>
    var waiters: [Int: CheckedContinuation<Answer, Never>] = [:]
    /// It goes on when all waiters are cancelled.
    var isWantedBehind = false
    var isStoring = false
    /// What it fetches was changed after it began.
    var isOutdated = false

    func isCovered(by invalidation: Invalidation) -> Bool {
        switch invalidation {
        case .key(let key): self.key.key == key
        case .tag(let tag): tags.contains(tag)
        case .all: true
        }
    }
}

/// What a flight came to. The type of the value is the one of its `ReadKey`.
enum Arrival: Sendable {
    case fetched(any Sendable)
    /// A fresh value was found in the cache after all, as a `CachedValue`.
    case kept(any Sendable)
}

extension CacheKey {
    /// Path and query, without the principal and the method: `/v1/runbooks`.
    var target: String {
        let target = text.split(separator: " ", maxSplits: 2).last.map(String.init) ?? text
        return target.hasSuffix("?") ? String(target.dropLast()) : target
    }
}
