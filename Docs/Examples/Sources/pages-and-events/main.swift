import StrataClient

struct Item: Decodable, Sendable { var id: Int }

struct ListItems: RoutedEndpoint {
    static let route = Route.get("/items")
    typealias Response = [Item]
    @Query var page: Int?
}

struct Found: Decodable, Sendable {
    var items: [Item]
    var next: String?
}

struct SearchItems: RoutedEndpoint {
    static let route = Route.get("/search/items")
    typealias Response = Found
    @Query var after: String?
}

struct Change: Decodable, Sendable { var text: String }

let client = try StrataClient(CommandLine.arguments[1])
do throws(NetworkError) {
    var ids: [Int] = []
    for try await page in client.pages(ListItems(), next: .link) { ids += page.value.map(\.id) }
    print("by Link:", ids)

    ids = []
    for try await item in client.pages(SearchItems(), next: .cursor(\.next, into: \.after)).items(\.items) {
        ids.append(item.id)
    }
    print("by cursor:", ids)

    // The server closes the connection after two events; the next one begins behind the last event.
    for try await event in client.events("/changes") {
        print(event.id, try event.decode(Change.self).text)
        if event.id == "4" { break }
    }

    var rows = 0
    for try await _ in client.json(PathEndpoint<NoContent>(.get, "/export"), of: Item.self) { rows += 1 }
    print("rows:", rows)
} catch {
    print(error)
}
