import RunbooksAPI
import RunbooksDomain
import StrataDomain
package import StrataService

/// The backend part of runbooks: one table and five endpoints.
package struct RunbooksService: FeatureService {
    package init() {}

    package var migrations: [StoreMigration] { [RunbookTable.migration] }

    package func mount(on routes: inout APIRoutes) {
        routes.read(ListRunbooks.self, for: .users) { request, _, store in try RunbookTable.page(request, in: store) }
        routes.read(GetRunbook.self, for: .users) { request, _, store in
            RunbookPayload(try RunbookTable.runbook(request.id, in: store))
        }
        routes.write(CreateRunbook.self, for: .users) { request, scope, store in
            let draft = try ServiceError.accepting(request.draft.draft.validated)
            return RunbookPayload(try RunbookTable.insert(draft, at: scope.now, in: store))
        }
        routes.write(UpdateRunbook.self, for: .users) { request, scope, store in
            let draft = try ServiceError.accepting(request.draft.draft.validated)
            let version = try RunbookTable.version(of: request.id, matching: request.ifMatch, in: store)
            return RunbookPayload(
                try RunbookTable.update(request.id, to: draft, basedOn: version, at: scope.now, in: store))
        }
        routes.write(DeleteRunbook.self, for: .users) { request, _, store in
            let version = try RunbookTable.version(of: request.id, matching: request.ifMatch, in: store)
            try RunbookTable.delete(request.id, basedOn: version, in: store)
            return NoContent()
        }
    }
}
