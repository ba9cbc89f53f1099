import IncidentsData
import IncidentsDomain
import IncidentsPresentation
import StrataDomain
import StrataOffline

extension CommandSet {
    /// Incidents of this profile: written here first, and sent when the server can be reached.
    static let offlineIncidents = CommandSet(IncidentsGroup.self) { wiring in
        let offline = try await wiring.offline()
        return Incidents(
            OfflineIncidentRepository(
                offline.store, sync: { () throws(DomainError) in _ = try await offline.engine.sync() },
                settle: offline.settle))
    }
}
