import StrataClient

struct Item: Codable, Sendable { var id: Int }

struct ListItems: RoutedEndpoint {
    static let route = Route.get("/items")
    typealias Response = [Item]
}

let client = try StrataClient(CommandLine.arguments[1])
let cache = CachedReader(directory: nil)  // in memory; a folder keeps it for the next start
do {
    for _ in 0..<3 {
        let list = try await cache.read(ListItems(), through: client)
        if case .server = list.origin {
            print("from the server:", list.value.count)
        } else {
            print("from the cache:", list.value.count)
        }
    }
    await cache.invalidate(tag: "/items")
    let again = try await cache.read(ListItems(), through: client)
    if case .server = again.origin { print("again from the server") }
} catch {
    print(error)
}
