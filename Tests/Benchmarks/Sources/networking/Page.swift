import FoundationEssentials
import StrataDomain

/// A page of twenty runbooks, as a list command gets it.
struct Page: Codable, Sendable {
    struct Item: Codable, Sendable {
        var id: String
        var title: String
        var tags: [String]
        var version: Int
        var updatedAt: Date
    }

    var items: [Item]
    var nextCursor: String?

    static let sample = Page(
        items: (1...20).map { number in
            Item(
                id: "0198c5a2-7f10-7c3e-9d0e-0000000000\(10 + number)",
                title: "Restart the replication of shard \(number)",
                tags: ["database", "replication", "shard-\(number)"], version: number,
                updatedAt: Date(timeIntervalSince1970: 1_790_000_000 + Double(number) * 60))
        }, nextCursor: "eyJ2IjoxLCJrIjoiMDE5OGM1YTIifQ")
}

/// Each worker asks for a page of its own: equal reads that are under way at once would share one answer.
struct ListPage: ManualEndpoint {
    typealias Response = Page
    let worker: Int
    var method: HTTPMethod { .get }
    var path: String { "/v1/runbooks" }
    var query: QueryItems { ["limit": "20", "worker": "\(worker)"] }
}
