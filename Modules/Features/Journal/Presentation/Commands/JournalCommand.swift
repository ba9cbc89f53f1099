package import JournalDomain
package import StrataTerminal

/// A command about the journal.
package protocol JournalCommand: ConsoleCommand where Tools == Journal {}
