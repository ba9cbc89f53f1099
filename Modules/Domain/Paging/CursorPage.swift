/// One page of a list that is walked by an opaque cursor: `{"items": […], "next_cursor": "…" | null}`.
public struct CursorPage<Item: Codable & Sendable>: Codable, Sendable {
    public var items: [Item]
    /// `nil` on the last page.
    public var nextCursor: String?

    public init(items: [Item], nextCursor: String?) {
        self.items = items
        self.nextCursor = nextCursor
    }

    private enum CodingKeys: String, CodingKey { case items, nextCursor }

    /// Writes `next_cursor: null` on the last page, so that every page has the same keys.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(items, forKey: .items)
        try container.encode(nextCursor, forKey: .nextCursor)
    }
}

extension CursorPage: Equatable where Item: Equatable {}

/// A response that is one of several pages; the server adds the `Link` field (RFC 8288).
public protocol LinkedPage {
    /// Query items that replace those of this request to get the next page; `nil` on the last page.
    var nextPageQuery: [String: String]? { get }
}

extension CursorPage: LinkedPage {
    public var nextPageQuery: [String: String]? { nextCursor.map { ["cursor": $0] } }
}
