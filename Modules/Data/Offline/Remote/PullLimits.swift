/// Limits of reading a collection of another API.
public struct PullLimits: Sendable, Hashable {
    /// The share of the rows that may be deleted because a complete list does not have them, 0 to 1. More wait until a user confirms them.
    /// Default: 0.2.
    public var largestShare: Double
    /// Rows that may be deleted so above this share, as long as they are one row or at most half of all. Default: 5. An empty list deletes one
    /// row at most.
    public var freeRows: Int
    /// How long changes alone are asked for before the whole list is read again, where the API tells of deletions by the list only. Default: 1 h.
    public var fullListInterval: Duration
    /// Rows that a run looks up one by one to confirm that they are deleted. More are confirmed by another list. Default: 20.
    public var lookUps: Int
    /// Most pages of a list. Default: 100,000.
    public var pages: Int

    /// The standard limits, but for those that are given.
    public init(
        largestShare: Double = 0.2, freeRows: Int = 5, fullListInterval: Duration = .seconds(3600), lookUps: Int = 20,
        pages: Int = 100_000
    ) {
        self.largestShare = min(max(largestShare, 0), 1)
        self.freeRows = max(freeRows, 0)
        self.fullListInterval = fullListInterval
        self.lookUps = max(lookUps, 0)
        self.pages = max(pages, 1)
    }

    /// Whether a user must confirm so many deletions.
    ///
    /// - Parameters:
    ///   - count: Rows that the list does not have.
    ///   - live: Rows that are here.
    ///   - listed: Rows of the list.
    func asks(about count: Int, of live: Int, listed: Int) -> Bool {
        if listed == 0, count > 1 { return true }
        if Double(count) <= largestShare * Double(live) { return false }
        return count > freeRows || count > 1 && 2 * count > live
    }
}
