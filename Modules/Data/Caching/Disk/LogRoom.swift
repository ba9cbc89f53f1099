/// What the log of a cache file can still take; true as long as whoever asked has the write lock.
///
/// A transaction puts each page it changed into the log, once, and pages it freed among them, since they are
/// overwritten. Bodies lie on pages of their own, so what an entry takes follows from its length.
struct LogRoom {
    /// Bytes of the log now.
    let length: Int
    /// Bytes it may grow to before it is emptied.
    let share: Int

    /// A page in the log has a head of 24 bytes (sqlite.org/fileformat2.html, section 4.1).
    private static let frame = 4096 + 24
    /// First page, map of pages, list of free pages, the hand, and a tree that is split or joined.
    static let pagesOfTransaction = 10

    /// Pages that change with an entry that is written or removed: its own, and those of the indexes it is in.
    static func pages(ofEntry bytes: Int) -> Int { bytes / 4092 + 4 }

    func takes(pages: Int) -> Bool { length + (pages + Self.pagesOfTransaction) * Self.frame <= share }

    /// Like `takes`, but a single entry may pass the share by its own size, and always fits an empty log.
    ///
    /// - Parameter pages: Of the log, for that entry and what goes with it.
    func takes(pages: Int, forEntry bytes: Int) -> Bool { length == 0 || takes(pages: pages - bytes / Self.frame) }
}
