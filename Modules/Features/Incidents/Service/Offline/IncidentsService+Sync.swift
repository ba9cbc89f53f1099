import IncidentsDomain
package import StrataService

extension IncidentsService {
    /// Incidents as clients keep and edit them offline.
    package var syncedCollections: [any SyncedCollection] { [Incident.table] }
}
