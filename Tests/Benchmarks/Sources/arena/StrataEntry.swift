import FoundationEssentials
import Logging
import StrataDomain
import StrataService

/// The profiles on Strata, as a service would write them: endpoints with types, and the limits and middlewares of every service.
struct StrataEntry: FeatureService {
    let dataset: [Item]
    let table: ItemTable

    let migrations: [StoreMigration] = []

    static func serve(_ dataset: [Item], _ table: ItemTable, port: Int) async throws {
        var options = ServiceOptions(port: port)
        // All requests come from one address.
        options.limits.rates.address = RateLimit(burst: 1_000_000, perSecond: 1_000_000)
        options.limits.maxConnectionsPerAddress = options.limits.maxConnections / 2
        let service = try ServiceApplication(
            features: [StrataEntry(dataset: dataset, table: table)], store: table.store, authenticator: Nobody(),
            options: options, logger: Logger(label: "arena") { _ in SwiftLogNoOpLogHandler() })
        try await service.prepare()
        try await service.run()
    }

    func mount(on routes: inout APIRoutes) {
        routes.handle(ReadSum.self, for: .anyone) { call, _ in Sum(value: call.a + call.b) }
        routes.handle(ReadPrices.self, for: .anyone) { call, _ in
            PricedItems(dataset, count: call.count, times: call.m ?? 1)
        }
        routes.read(FindItems.self, for: .anyone) { call, _, reader in
            try ItemTable.found(from: call.min ?? 10, to: call.max ?? 50, limit: call.limit ?? 50, in: reader)
        }
        routes.read(ListItems.self, for: .anyone) { call, _, reader in
            try ItemTable.page(
                call.category ?? "electronics", page: call.page ?? 1, limit: call.limit ?? 10, in: reader)
        }
        routes.handle(ReadItem.self, for: .anyone) { call, _ in
            let (item, isHit) = try await table.item(call.id)
            guard let item else { throw ServiceError.notFound("item", "\(call.id)") }
            var text = JSONText()
            try item.write(to: &text)
            return CachedItem(json: Data(text.bytes), isHit: isHit)
        }
        routes.write(CreateItem.self, for: .anyone) { call, _, transaction in
            try ItemTable.create(call.item, in: transaction)
        }
        routes.handle(UpdateItem.self, for: .anyone) { call, _ in
            guard let item = try await table.update(call.id, to: call.change) else {
                throw ServiceError.notFound("item", "\(call.id)")
            }
            return item
        }
    }
}

private struct Nobody: Authenticator {
    func principal(bearer token: String) async throws -> Principal { throw ServiceError.unauthorized("No tokens.") }
    func principal(apiKey: String) async throws -> Principal { throw ServiceError.unauthorized("No tokens.") }
}

// MARK: - Endpoints

struct ReadSum: RoutedEndpoint {
    static let route = Route.get("/baseline11")
    @Query var a: Int
    @Query var b: Int
    typealias Response = Sum
}

struct Sum: Codable, Sendable, ContentResponse {
    static let mediaType = "text/plain"
    var value: Int
    var content: ResponseContent { ResponseContent(Data("\(value)".utf8)) }
}

struct ReadPrices: RoutedEndpoint {
    static let route = Route.get("/json/{count}")
    @Path var count: Int
    @Query var m: Int?
    typealias Response = PricedItems
}

struct FindItems: RoutedEndpoint {
    static let route = Route.get("/async-db")
    @Query var min: Int?
    @Query var max: Int?
    @Query var limit: Int?
    typealias Response = FoundItems
}

struct ListItems: RoutedEndpoint {
    static let route = Route.get("/crud/items")
    @Query var category: String?
    @Query var page: Int?
    @Query var limit: Int?
    typealias Response = ItemPage
}

struct ReadItem: RoutedEndpoint {
    static let route = Route.get("/crud/items/{id}")
    @Path var id: Int
    typealias Response = CachedItem
}

/// The JSON of an item, made for each response, with the field that the rules ask for.
struct CachedItem: Codable, Sendable, ContentResponse {
    static let mediaType = "application/json"
    var json: Data
    var isHit: Bool
    var content: ResponseContent { ResponseContent(json, headers: ["X-Cache": isHit ? "HIT" : "MISS"]) }
}

struct CreateItem: RoutedEndpoint {
    static let route = Route.post("/crud/items")
    static let successStatus = 201
    @Body var item: NewItem
    typealias Response = NewItem
}

struct UpdateItem: RoutedEndpoint {
    static let route = Route.put("/crud/items/{id}")
    @Path var id: Int
    @Body var change: ItemChange
    typealias Response = ChangedItem
}
