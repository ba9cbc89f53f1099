public import FoundationEssentials

/// What to read: where to start, and which page.
public struct PullPoint: Sendable, Hashable {
    /// The first row of a pull.
    public enum Start: Sendable, Hashable {
        /// Every row.
        case everything
        /// The rows that changed at this time of the server or later.
        case since(Date)
        /// The changes after a cursor.
        case cursor(String)
    }

    /// Where the pull starts.
    public var start: Start
    /// `PullPage.next` of the page before; `nil` for the first page.
    public var page: String?

    /// The page `page` of a pull that starts at `start`; the first page unless one is given.
    public init(_ start: Start, page: String? = nil) {
        self.start = start
        self.page = page
    }
}

/// A page of a collection.
public struct PullPage: Sendable, Hashable {
    /// The rows that changed, or all, as the pull asked.
    public var rows: [RemoteRow]
    /// Rows that were deleted, where the server says so.
    public var deleted: [RemoteID]
    /// The next page of this round; `nil` for the last.
    public var next: String?
    /// The cursor behind this page, for `RemoteAbilities.Deltas.cursor`; it is stored in the transaction of the page. `nil`: the one before stays.
    public var checkpoint: String?
    /// The server's clock at the response, its `Date` field; `nil` when unknown. It keeps a row with a time in the future from hiding
    /// later changes.
    public var serverTime: Date?

    /// A page; the last one unless `next` is given.
    public init(
        rows: [RemoteRow], deleted: [RemoteID] = [], next: String? = nil, checkpoint: String? = nil,
        serverTime: Date? = nil
    ) {
        self.rows = rows
        self.deleted = deleted
        self.next = next
        self.checkpoint = checkpoint
        self.serverTime = serverTime
    }
}
