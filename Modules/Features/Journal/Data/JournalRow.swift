package import JournalDomain
package import StrataOffline

/// The table of the journal on this machine, with an index for the order of its lists.
package enum JournalColumns: EntityColumns {
    package typealias Content = JournalEntry
    package static let table = "journal_entry"
    package static let creation = """
        CREATE TABLE journal_entry (
            id TEXT PRIMARY KEY, host TEXT NOT NULL, severity TEXT NOT NULL, text TEXT NOT NULL,
            occurred_at INTEGER NOT NULL, runbook_id TEXT, version INTEGER NOT NULL, updated_at INTEGER NOT NULL);
        CREATE INDEX journal_entry_newest ON journal_entry (occurred_at DESC, id DESC);
        """
}

package typealias JournalRow = ColumnRow<JournalColumns>
