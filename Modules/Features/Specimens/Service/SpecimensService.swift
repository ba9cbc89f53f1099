import SpecimensAPI
import SpecimensDomain
import StrataDomain
package import StrataService

/// The backend half of specimens: their table and their five endpoints.
package struct SpecimensService: FeatureService {
    package init() {}

    package var migrations: [StoreMigration] { [Specimen.migration] }

    package func mount(on routes: inout APIRoutes) {
        let table = Specimen.table
        routes.read(ListSpecimens.self, for: .users) { call, _, store in
            try table.page(after: call.cursor, limit: call.limit, in: store)
        }
        routes.read(GetSpecimen.self, for: .users) { call, _, store in try table.entity(call.id, in: store) }
        routes.write(CreateSpecimen.self, for: .users) { call, scope, store in
            try table.create(call.specimen, at: scope.now, in: store)
        }
        routes.write(UpdateSpecimen.self, for: .users) { call, scope, store in
            try table.update(call.id, to: call.specimen, matching: call.ifMatch, at: scope.now, in: store)
        }
        routes.write(DeleteSpecimen.self, for: .users) { call, scope, store in
            try table.delete(call.id, matching: call.ifMatch, at: scope.now, in: store)
            return NoContent()
        }
    }
}
