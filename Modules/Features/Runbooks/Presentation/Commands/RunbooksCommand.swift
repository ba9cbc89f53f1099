package import RunbooksDomain
package import StrataTerminal

/// A command about runbooks.
package protocol RunbooksCommand: ConsoleCommand where Tools == Runbooks {}
