import FoundationEssentials

/// A row of the table, and an item of the data set.
struct Item: Codable, Sendable {
    var id: Int
    var name: String
    var category: String
    var price: Int
    var quantity: Int
    var active: Bool
    var tags: [String]
    var rating: Rating
}

struct Rating: Codable, Sendable {
    var score: Int
    var count: Int
}

/// An item of the data set with the `total` that a request computes.
struct PricedItem: Codable, Sendable {
    var id: Int
    var name: String
    var category: String
    var price: Int
    var quantity: Int
    var active: Bool
    var tags: [String]
    var rating: Rating
    var total: Int

    init(_ item: Item, times multiplier: Int) {
        (id, name, category, price) = (item.id, item.name, item.category, item.price)
        (quantity, active, tags, rating) = (item.quantity, item.active, item.tags, item.rating)
        total = item.price * item.quantity * multiplier
    }
}

struct PricedItems: Codable, Sendable {
    var items: [PricedItem]
    var count: Int

    /// The first `count` of `items`.
    init(_ items: [Item], count: Int, times multiplier: Int) {
        self.items = items.prefix(max(0, count)).map { PricedItem($0, times: multiplier) }
        self.count = self.items.count
    }
}

struct FoundItems: Codable, Sendable {
    var items: [Item]
    var count: Int
}

struct ItemPage: Codable, Sendable {
    var items: [Item]
    /// Items of this page.
    var total: Int
    var page: Int
    var limit: Int
}

/// Received and returned by POST.
struct NewItem: Codable, Sendable {
    var id: Int
    var name: String
    var category: String
    var price: Int
    var quantity: Int
}

/// Received by PUT.
struct ItemChange: Codable, Sendable {
    var name: String
    var price: Int
    var quantity: Int
}

struct ChangedItem: Codable, Sendable {
    var id: Int
    var name: String
    var price: Int
    var quantity: Int
}
