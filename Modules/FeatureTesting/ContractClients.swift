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
    /// Whether an entity can be replaced by PUT.
    let replaces: Bool

    init(_ backend: InProcessBackend, replaces: Bool) throws {
        self.init(backend, api: try backend.client(), try backend.anonymous(), replaces: replaces)
    }

    init(_ backend: InProcessBackend, api: any APIClient, _ anonymous: any APIClient, replaces: Bool) {
        (self.backend, self.api, self.anonymous, self.replaces) = (backend, api, anonymous, replaces)
    }

    /// The entity with another content in every field: by PUT, or by PATCH where there is none.
    func change<Content: Entity>(
        _ id: Identifier<Content>, _ tag: EntityTag?, to content: Content, as user: String = "ada"
    ) async throws -> Stored<Content> {
        let api = try user == "ada" ? api : api(as: user)
        guard !replaces else { return try await api.send(UpdateEntity(id: id, ifMatch: tag, to: content)) }
        return try await api.send(PatchEntity(id: id, ifMatch: tag, content.wireFields()))
    }

    /// Why `change` is refused; `nil` when it is not.
    func refusal<Content: Entity>(
        of id: Identifier<Content>, _ tag: EntityTag?, to content: Content, as user: String = "ada"
    ) async -> Problem? {
        await StrataFeatureTesting.problem { try await self.change(id, tag, to: content, as: user) }
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
