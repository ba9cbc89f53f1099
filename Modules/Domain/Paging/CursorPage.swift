/// One page of a list that is walked by an opaque cursor: `{"items": […], "next_cursor": "…" | null}`.
public struct CursorPage<Item: Codable & Sendable>: Codable, Sendable {
    /// The rows of the page.
    public var items: [Item]
    /// `nil` on the last page.
    public var nextCursor: String?

    /// A page; `nextCursor` is `nil` for the last.
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

extension CursorPage: LinkedPage {
    public var nextPageQuery: [String: String]? { nextCursor.map { ["cursor": $0] } }
}

/// The cursor of the next page is among the bytes, so the tag stands for the `Link` too.
extension CursorPage: ContentTagged where Item: EntityTagged {}
