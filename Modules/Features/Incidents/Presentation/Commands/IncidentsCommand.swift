package import IncidentsDomain
package import StrataTerminal

/// A command about incidents.
package protocol IncidentsCommand: ConsoleCommand where Tools == Incidents {}
