import StrataDomain

/// How long transfers may take.
struct TransferTimes: Sendable {
    /// What the caller asked for; `nil` goes by size.
    let deadline: Duration?

    /// One minute and one second for each 32 KiB, at most a week: a slow line gets through, a dead one ends.
    func options(bytes: Int64) -> CallOptions {
        let bySize = Duration.seconds(min(60 + max(0, bytes) / 32_768, 7 * 86_400))
        let limit = deadline ?? bySize
        return CallOptions(deadline: limit, attemptTimeout: limit)
    }
}
