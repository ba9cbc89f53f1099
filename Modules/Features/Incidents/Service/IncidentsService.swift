import IncidentsAPI
import IncidentsDomain
import StrataDomain
package import StrataService

/// The backend half of incidents: their table and their five endpoints.
package struct IncidentsService: FeatureService {
    package init() {}

    package var migrations: [StoreMigration] { [Incident.migration] }

    package func mount(on routes: inout APIRoutes) {
        let table = Incident.table
        routes.read(ListIncidents.self, for: .users) { call, _, store in
            try table.page(after: call.cursor, limit: call.limit, in: store)
        }
        routes.read(GetIncident.self, for: .users) { call, _, store in try table.entity(call.id, in: store) }
        routes.write(CreateIncident.self, for: .users) { call, scope, store in
            try table.create(call.incident, at: scope.now, in: store)
        }
        routes.write(UpdateIncident.self, for: .users) { call, scope, store in
            try table.update(call.id, to: call.incident, matching: call.ifMatch, at: scope.now, in: store)
        }
        routes.write(DeleteIncident.self, for: .users) { call, scope, store in
            try table.delete(call.id, matching: call.ifMatch, at: scope.now, in: store)
            return NoContent()
        }
    }
}
