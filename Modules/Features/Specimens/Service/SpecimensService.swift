import SpecimensDomain
package import StrataService

/// The backend part of specimens: a table and six endpoints. Add routes of your own in `mount`.
package struct SpecimensService: FeatureService {
    let table = EntityTable<Specimen>()

    package init() {}

    package var migrations: [StoreMigration] { table.migrations }
    package func mount(on routes: inout APIRoutes) { table.mount(on: &routes) }
}
