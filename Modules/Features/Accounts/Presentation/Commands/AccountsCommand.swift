package import AccountsDomain
package import StrataTerminal

/// A command about accounts.
package protocol AccountsCommand: ConsoleCommand where Tools == Accounts {}
