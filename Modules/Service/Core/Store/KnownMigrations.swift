extension StoreMigration {
    /// The name of the migration that the target of a copy has until the copy is complete.
    static let unfinishedCopy = "copy-under-way"
}

extension [StoreMigration] {
    /// A program refuses to start on a database that is ahead of it. One that runs already continues, because migrations only
    /// add: tables, indexes, and columns that may be left out.
    ///
    /// - Parameters:
    ///   - applied: Names of the migrations that ran in the database.
    ///   - database: Its name in the error.
    /// - Throws: `StoreError.failed` when one of them is not among these, and for an unfinished copy.
    public func requireKnown(_ applied: Set<String>, in database: String) throws(StoreError) {
        let unknown = applied.subtracting(map(\.name))
        guard let first = unknown.min() else { return }
        if unknown.contains(StoreMigration.unfinishedCopy) {
            throw .failed(
                "The database '\(database)' is an unfinished copy; copy the same source again to complete it, or delete the "
                    + "database.")
        }
        throw .failed(
            "The database '\(database)' has the migration '\(first)', which this program does not know: a newer program, or "
                + "one with more features, wrote it. Start that one, or restore a backup from before.")
    }
}
