import HTTPTypes
import Hummingbird
import Logging
import StrataService

/// The same on Hummingbird alone, as its documentation writes routes: typed parameters, `Codable` bodies and responses, no middleware.
/// The store is Strata's, so that the difference between the two entries is that of HTTP.
enum HummingbirdEntry {
    static func serve(_ dataset: [Item], _ table: ItemTable, port: Int) async throws {
        let router = Router()
        addReads(to: router, dataset, table)
        addItems(to: router, table)
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)),
            logger: Logger(label: "arena") { _ in SwiftLogNoOpLogHandler() })
        try await application.runService()
    }

    private static func addReads(to router: Router<BasicRequestContext>, _ dataset: [Item], _ table: ItemTable) {
        router.get("baseline11") { request, _ -> String in
            let query = request.uri.queryParameters
            return try "\(query.require("a", as: Int.self) + query.require("b", as: Int.self))"
        }
        router.get("json/{count}") { request, context -> PricedItems in
            PricedItems(
                dataset, count: try context.parameters.require("count", as: Int.self),
                times: request.uri.queryParameters.get("m", as: Int.self) ?? 1)
        }
        router.get("async-db") { request, _ -> FoundItems in
            let query = request.uri.queryParameters
            let (least, most) = (query.get("min", as: Int.self) ?? 10, query.get("max", as: Int.self) ?? 50)
            let limit = query.get("limit", as: Int.self) ?? 50
            return try await table.store.read { try ItemTable.found(from: least, to: most, limit: limit, in: $0) }
        }
    }

    private static func addItems(to router: Router<BasicRequestContext>, _ table: ItemTable) {
        router.get("crud/items") { request, _ -> ItemPage in
            let query = request.uri.queryParameters
            let category = query.get("category") ?? "electronics"
            let (page, limit) = (query.get("page", as: Int.self) ?? 1, query.get("limit", as: Int.self) ?? 10)
            return try await table.store.read { try ItemTable.page(category, page: page, limit: limit, in: $0) }
        }
        router.get("crud/items/{id}") { _, context -> EditedResponse<Item> in
            let (item, isHit) = try await table.item(context.parameters.require("id", as: Int.self))
            guard let item else { throw HTTPError(.notFound) }
            var response = EditedResponse(response: item)
            if let field = HTTPField.Name("X-Cache") { response.headers[field] = isHit ? "HIT" : "MISS" }
            return response
        }
        router.post("crud/items") { request, context -> EditedResponse<NewItem> in
            let item = try await request.decode(as: NewItem.self, context: context)
            return EditedResponse(
                status: .created, response: try await table.store.write { try ItemTable.create(item, in: $0) })
        }
        router.put("crud/items/{id}") { request, context -> ChangedItem in
            let id = try context.parameters.require("id", as: Int.self)
            let change = try await request.decode(as: ItemChange.self, context: context)
            guard let item = try await table.update(id, to: change) else { throw HTTPError(.notFound) }
            return item
        }
    }
}

extension PricedItems: ResponseEncodable {}
extension FoundItems: ResponseEncodable {}
extension ItemPage: ResponseEncodable {}
extension Item: ResponseEncodable {}
extension NewItem: ResponseEncodable {}
extension ChangedItem: ResponseEncodable {}
