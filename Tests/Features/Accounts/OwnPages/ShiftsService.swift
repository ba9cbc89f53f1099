import StrataDomain
package import StrataService

package struct ShiftsService: FeatureService {
    private let table = EntityTable<Shift>()

    package var migrations: [StoreMigration] { table.migrations }

    package func mount(on routes: inout APIRoutes) {
        table.mount(on: &routes)
        routes.page(ShowShifts.self, for: .users) { _, request, caller in
            let shifts = try await request.read { store in
                let visible = table.visibility.condition(.read, for: caller.principal)
                return try store.rows("SELECT \(table.selection) WHERE \(visible) ORDER BY id DESC LIMIT 50")
                    .map(table.entity(of:))
            }
            return .shifts(shifts, for: caller)
        }
        routes.page(RenameShift.self, for: .users) { call, request, caller in
            let form = call.form
            _ = try await request.write { store in
                try table.patch(
                    Shift.ID(form.id), with: ["title": .string(form.title)],
                    matching: IfMatch(EntityTag(version: form.version)), by: caller.principal,
                    at: request.scope.now, in: store)
            }
            return .redirect(to: ShowShifts.route.template)
        }
    }
}
