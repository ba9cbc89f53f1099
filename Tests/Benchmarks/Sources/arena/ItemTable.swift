import FoundationEssentials
import StrataConcurrency
import StrataDomain
import StrataService

/// The statements of the profiles. Both entries run the same ones.
struct ItemTable: Sendable {
    let store: any Store
    private let cache = ItemCache()

    init(_ store: any Store) { self.store = store }

    private static let columns: Statement =
        "SELECT id, name, category, price, quantity, active, tags, rating_score, rating_count FROM items"

    /// - Parameter limit: 1 to 50; another one is moved to the nearer end.
    static func found(from least: Int, to most: Int, limit: Int, in reader: any StoreReader) throws -> FoundItems {
        let limit = min(max(1, limit), 50)
        let rows = try reader.rows("\(columns) WHERE price BETWEEN \(least) AND \(most) LIMIT \(limit)")
        let items = try rows.map(Item.init)
        return FoundItems(items: items, count: items.count)
    }

    /// - Parameters:
    ///   - page: From 1.
    ///   - limit: 1 to 50.
    static func page(_ category: String, page: Int, limit: Int, in reader: any StoreReader) throws -> ItemPage {
        let (page, limit) = (min(max(1, page), 1_000_000), min(max(1, limit), 50))
        let rows = try reader.rows(
            "\(columns) WHERE category = \(category) ORDER BY id LIMIT \(limit) OFFSET \((page - 1) * limit)")
        let items = try rows.map(Item.init)
        return ItemPage(items: items, total: items.count, page: page, limit: limit)
    }

    static func create(_ item: NewItem, in transaction: any StoreTransaction) throws -> NewItem {
        try transaction.execute(
            """
            INSERT INTO items (id, name, category, price, quantity, active, tags, rating_score, rating_count)
            VALUES (\(item.id), \(item.name), \(item.category), \(item.price), \(item.quantity), true, '["bench"]', 0, 0)
            ON CONFLICT (id) DO UPDATE SET name = excluded.name, price = excluded.price, quantity = excluded.quantity
            """)
        return item
    }

    /// The item, or `nil` without one, and whether the cache had it.
    func item(_ id: Int) async throws -> (item: Item?, isHit: Bool) {
        if let item = cache.item(id, at: .now) { return (item, true) }
        let item = try await store.read { reader in
            try reader.row("\(Self.columns) WHERE id = \(id)").map(Item.init)
        }
        if let item { cache.keep(item, at: .now) }
        return (item, false)
    }

    /// `nil` without such an item.
    func update(_ id: Int, to change: ItemChange) async throws -> ChangedItem? {
        let count = try await store.write { transaction in
            try transaction.execute(
                """
                UPDATE items SET name = \(change.name), price = \(change.price), quantity = \(change.quantity)
                WHERE id = \(id)
                """)
        }
        cache.remove(id)
        guard count > 0 else { return nil }
        return ChangedItem(id: id, name: change.name, price: change.price, quantity: change.quantity)
    }
}

extension Item {
    fileprivate init(_ row: StoreRow) throws {
        self.init(
            id: try row.int("id"), name: try row.text("name"), category: try row.text("category"),
            price: try row.int("price"), quantity: try row.int("quantity"), active: try row.bool("active"),
            tags: try WireJSON.decode([String].self, from: Data(row.text("tags").utf8)),
            rating: Rating(score: try row.int("rating_score"), count: try row.int("rating_count")))
    }
}

/// Items for 200 ms, the time that the rules give.
private final class ItemCache: Sendable {
    private let items = Mutex<[Int: (item: Item, end: ContinuousClock.Instant)]>([:])

    func item(_ id: Int, at now: ContinuousClock.Instant) -> Item? {
        items.withLock { items in items[id].flatMap { now < $0.end ? $0.item : nil } }
    }

    func keep(_ item: Item, at now: ContinuousClock.Instant) {
        items.withLock { $0[item.id] = (item, now + .milliseconds(200)) }
    }

    func remove(_ id: Int) { items.withLock { $0[id] = nil } }
}
