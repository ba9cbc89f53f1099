import FoundationEssentials
import StrataDomain
import StrataNetworking
import StrataTesting

/// The clients of a check of `EntityContract`.
struct ContractClients: Sendable {
    let backend: InProcessBackend
    /// The user `ada`.
    let api: any APIClient
    let anonymous: any APIClient

    init(_ backend: InProcessBackend) throws {
        self.init(backend, api: try backend.client(), anonymous: try backend.anonymous())
    }

    init(_ backend: InProcessBackend, api: any APIClient, anonymous: any APIClient) {
        (self.backend, self.api, self.anonymous) = (backend, api, anonymous)
    }

    /// Another user.
    func api(as user: String) throws -> any APIClient { try backend.client(as: user) }

    /// Moves the backend's clock on: entities of one millisecond have no order.
    func advance() { backend.clock.advance(by: .seconds(1)) }

    /// The entity of each sample, oldest first.
    func created<Content: Entity>(_ samples: [Content], as user: String = "ada") async throws -> [Stored<Content>] {
        let api = try api(as: user)
        var created: [Stored<Content>] = []
        for sample in samples {
            created.append(try await api.send(CreateEntity(sample)))
            advance()
        }
        return created
    }

    /// Every page of a list.
    func listed<Content: Entity>(
        _ query: EntityQuery<Content>, pageSize: Int = 1, as user: String = "ada"
    ) async throws -> [Stored<Content>] {
        let api = try api(as: user)
        var query = query
        query.limit = pageSize
        var items: [Stored<Content>] = []
        var cursor: String?
        repeat {
            let page = try await api.send(ListEntities(query, cursor: cursor))
            items += page.items
            cursor = page.nextCursor
        } while cursor != nil && items.count < 1000
        return items
    }

    func problem<Call: Endpoint>(_ call: Call, as user: String? = nil) async -> Problem? {
        await StrataFeatureTesting.problem { try await (user.map { try self.api(as: $0) } ?? api).send(call) }
    }

    /// The rows of a snapshot.
    func snapshot(_ call: FetchSnapshot, as user: String) async throws -> [SyncChange] {
        let target = try call.request().target
        let response = try await backend.client(as: user).collect(
            RawRequest(.get, target), upTo: 1 << 24, options: CallOptions()
        ) { _ in }
        return try response.bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
            if case .row(let row) = try SnapshotLine(Data(line)) { row } else { nil }
        }
    }
}
