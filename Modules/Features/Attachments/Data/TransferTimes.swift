import StrataDomain

/// How long transfers may take.
struct TransferTimes: Sendable {
    /// What the caller asked for; `nil` goes by size.
    let deadline: Duration?

    /// An attempt may take all of it: the answer comes when the last byte was sent.
    func upload(bytes: Int64) -> CallOptions {
        let limit = limit(bytes)
        return CallOptions(deadline: limit, attemptTimeout: limit)
    }

    func download(bytes: Int64) -> CallOptions { CallOptions(deadline: limit(bytes)) }

    /// One minute and one second for each 32 KiB, at most a week: a slow line gets through, a dead one ends.
    private func limit(_ bytes: Int64) -> Duration {
        deadline ?? .seconds(min(60 + max(0, bytes) / 32_768, 7 * 86_400))
    }
}
