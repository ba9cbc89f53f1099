import RunbooksAPI
import RunbooksDomain
import StrataDomain
package import StrataService

/// The backend half of runbooks: their table and their five endpoints.
package struct RunbooksService: FeatureService {
    package init() {}

    package var migrations: [StoreMigration] { [RunbookTable.migration] }

    package func mount(on routes: inout APIRoutes) {
        routes.read(ListRunbooks.self, for: .users) { call, _, store in try RunbookTable.page(call, in: store) }
        routes.read(GetRunbook.self, for: .users) { call, _, store in
            RunbookPayload(try RunbookTable.runbook(call.id, in: store))
        }
        routes.write(CreateRunbook.self, for: .users) { call, scope, store in
            let draft = try ServiceError.accepting(call.draft.draft.validated)
            return RunbookPayload(try RunbookTable.insert(draft, at: scope.now, in: store))
        }
        routes.write(UpdateRunbook.self, for: .users) { call, scope, store in
            let draft = try ServiceError.accepting(call.draft.draft.validated)
            let version = try RunbookTable.version(of: call.id, matching: call.ifMatch, in: store)
            return RunbookPayload(
                try RunbookTable.update(call.id, to: draft, basedOn: version, at: scope.now, in: store))
        }
        routes.write(DeleteRunbook.self, for: .users) { call, _, store in
            let version = try RunbookTable.version(of: call.id, matching: call.ifMatch, in: store)
            try RunbookTable.delete(call.id, basedOn: version, in: store)
            return NoContent()
        }
    }
}
