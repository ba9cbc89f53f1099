import FoundationEssentials
import StrataDomain

/// The responses of one key in memory, latest first.
struct ResponseGroup: Sendable {
    struct Item: Sendable {
        var response: StoredResponse
        /// `nil` when it is on disk only.
        var body: Data?
        var keptUntil: Date
        var tags: Set<String>

        var cost: Int { Self.overhead + (body?.count ?? 0) + response.textBytes }

        private static let overhead = 256
    }

    private(set) var items: [Item] = []
    /// The state of the disk this was last found equal to; another state must be compared first.
    var version = 0

    init(_ items: [Item] = [], version: Int = 0) {
        self.items = Array(items.prefix(RecordTable.mostItems))
        self.version = version
    }

    var cost: Int { items.reduce(0) { $0 + $1.cost } }
    var isEmpty: Bool { items.isEmpty }
    var responses: [StoredResponse] { items.map(\.response) }

    func body(of id: UUID) -> Data? { items.first { $0.response.id == id }?.body }

    mutating func store(_ item: Item, replacing replaced: Set<UUID>) {
        items.removeAll { replaced.contains($0.response.id) || $0.response.id == item.response.id }
        items.insert(item, at: 0)
        if items.count > RecordTable.mostItems { items.removeLast(items.count - RecordTable.mostItems) }
    }

    mutating func update(_ response: StoredResponse, keptUntil: Date) {
        guard let place = items.firstIndex(where: { $0.response.id == response.id }) else { return }
        items[place].response = response
        items[place].keptUntil = keptUntil
    }

    /// Those of the same responses; an id names one body for ever.
    mutating func takeBodies(from other: ResponseGroup) {
        for place in items.indices { items[place].body = items[place].body ?? other.body(of: items[place].response.id) }
    }

    mutating func attach(_ body: Data, to id: UUID) {
        guard let place = items.firstIndex(where: { $0.response.id == id }) else { return }
        items[place].body = body
    }

    mutating func remove(where isUnwanted: (Item) -> Bool) { items.removeAll(where: isUnwanted) }

    /// Gives up bodies, oldest first, until the rest costs at most `limit`.
    mutating func dropBodies(to limit: Int) {
        for place in items.indices.reversed() where cost > limit { items[place].body = nil }
    }

    /// Gives up the oldest until the rest costs at most `limit`.
    mutating func shrink(to limit: Int) {
        while cost > limit, !items.isEmpty { items.removeLast() }
    }
}

extension StoredResponse {
    /// Bytes of its text, as a measure of what it takes.
    fileprivate var textBytes: Int {
        (fields.fields + selecting.fields).reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 32 }
    }
}
