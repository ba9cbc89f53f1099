import SpacesDomain
import SpacesService
import StrataDomain
import StrataFeatureTesting
import StrataService
import Testing

struct SpaceMatrixTests {
    @Test func `every route answers each role in its own space, in a foreign one and without one as the table says`()
        async throws
    {
        let matrix = SpaceMatrix(features: [SpacesService(), CardsService()], rows: SpaceMatrix.rows)
        #expect(try await matrix.failures() == [])
    }

    private struct Extra: FeatureService {
        struct GetExtra: RoutedEndpoint {
            static let route = Route.get("/v1/extra")
            typealias Response = NoContent
        }
        let migrations: [StoreMigration] = []
        func mount(on routes: inout APIRoutes) { routes.handle(GetExtra.self, for: .users) { _, _ in NoContent() } }
    }

    @Test func `a new route without a row fails`() async throws {
        let matrix = SpaceMatrix(features: [SpacesService(), CardsService(), Extra()], rows: SpaceMatrix.rows)
        #expect(try await matrix.failures() == ["'GET /v1/extra' has no row in the matrix."])
    }

    @Test func `the table has an administrator, and readers who do not write`() {
        let administrators = MemberRole.allCases.filter(\.isAdministrator)
        let readers = MemberRole.allCases.filter { $0.may(.read, Card.collection) && !$0.may(.update, Card.collection) }
        #expect(!administrators.isEmpty && !readers.isEmpty)
    }
}
