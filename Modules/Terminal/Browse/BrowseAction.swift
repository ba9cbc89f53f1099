import StrataDomain

/// What a key asks of the program around the screen.
enum BrowseAction: Sendable, Hashable {
    case quit, suspend, redraw
    /// The search or the filters changed: another list.
    case query
    /// The list is read again.
    case reload
    /// Makes the form with the values that are there.
    case open(BrowseForm.Purpose)
    case save(BrowseForm)
    case delete(id: String)
    /// Shows the conflict of an entity.
    case showConflict(id: String)
    case resolve(SyncConflict.ID, keeping: SyncConflict.Side)
}
