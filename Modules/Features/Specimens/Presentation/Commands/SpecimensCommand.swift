package import SpecimensDomain
package import StrataTerminal

/// A command about specimens.
package protocol SpecimensCommand: ConsoleCommand where Tools == Specimens {}
