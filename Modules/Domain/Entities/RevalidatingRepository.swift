/// Entities whose list the server need not send again where the caller has it in its present state.
package protocol RevalidatingRepository<Content>: EntityRepository {
    /// The list that `query` asks for, as far as it is not `known`.
    ///
    /// - Parameter known: The same list as it was read last; `nil` without one.
    /// - Throws: As `list`.
    func list(
        _ query: EntityQuery<Content>, knowing known: ListReading<Content>?
    ) async throws(DomainError) -> Revalidated<ListReading<Content>>
}

/// What the server says of a value that the caller has.
package enum Revalidated<Value: Sendable>: Sendable {
    /// The value of the caller is the present one.
    case unchanged
    /// The present value.
    case changed(Value)
}

/// A list as the server sent it, with the tags of its pages.
package struct ListReading<Content: Entity>: Sendable {
    package let items: [Stored<Content>]
    /// In the order of the list; empty where it cannot be revalidated: a page had no tag, or entities of a page were left out, as those
    /// past the limit and one that two pages had.
    package let pages: [ListedPage]

    package init(items: [Stored<Content>], pages: [ListedPage]) {
        self.items = items
        self.pages = pages
    }
}

/// A page of a list, without its entities.
package struct ListedPage: Codable, Sendable, Hashable {
    /// Where it begins; `nil` for the first.
    package let cursor: String?
    /// Where the next begins; `nil` for the last.
    package let next: String?
    /// As the server sent it, quotes included.
    package let entityTag: String
    /// Entities in it.
    package let count: Int
}

extension RemoteEntityRepository: RevalidatingRepository {
    package func list(
        _ query: EntityQuery<Content>, knowing known: ListReading<Content>?
    ) async throws(DomainError) -> Revalidated<ListReading<Content>> {
        let list = try await read(query, knowing: known)
        return !list.pages.isEmpty && list.pages == known?.pages ? .unchanged : .changed(list)
    }

    /// The list. The entities of pages that are as they were come from `known`.
    func read(
        _ query: EntityQuery<Content>, knowing known: ListReading<Content>? = nil
    ) async throws(DomainError) -> ListReading<Content> {
        var page = query
        page.limit = min(query.limit ?? 100, 100)
        var walk = ListWalk(known)
        let items = try await CursorPage.all(upTo: query.limit ?? .max) { cursor throws(DomainError) in
            let copy = walk.copy(at: cursor)
            let call = ListEntities<Content>(page, cursor: cursor)
            guard let response = try await response(to: call, unless: copy?.page.entityTag) else {
                return walk.confirmed(copy)
            }
            return walk.read(response, at: cursor)
        }
        return ListReading(items: items, pages: walk.pages(of: items))
    }

    /// - Returns: `nil` where the response has the tag `known`.
    private func response(
        to call: ListEntities<Content>, unless known: String?
    ) async throws(DomainError) -> APIResponse<CursorPage<Stored<Content>>>? {
        let options = CallOptions(headers: known.map { ["If-None-Match": $0] } ?? [:])
        do throws(NetworkError) { return try await client.response(to: call, options: options) } catch {
            if known != nil, case .status(304, _) = error.kind { return nil }
            throw DomainError(error, about: nil, of: Content.self, command: command)
        }
    }
}

/// The pages of a list that are read, beside those that are known.
private struct ListWalk<Content: Entity> {
    typealias Page = CursorPage<Stored<Content>>

    /// A known page with its entities.
    struct Copy {
        let page: ListedPage
        let items: ArraySlice<Stored<Content>>
    }

    private var known: [String?: Copy] = [:]
    private var pages: [ListedPage] = []
    private var lacksTag = false

    init(_ list: ListReading<Content>?) {
        guard let list, list.pages.allSatisfy({ $0.count >= 0 }),
            list.pages.reduce(0, { $0 + $1.count }) == list.items.count
        else { return }
        var rest = list.items[...]
        for page in list.pages {
            known[page.cursor] = Copy(page: page, items: rest.prefix(page.count))
            rest = rest.dropFirst(page.count)
        }
    }

    func copy(at cursor: String?) -> Copy? { known[cursor] }

    mutating func confirmed(_ copy: Copy?) -> Page {
        guard let copy else { return Page(items: [], nextCursor: nil) }
        pages.append(copy.page)
        return Page(items: Array(copy.items), nextCursor: copy.page.next)
    }

    mutating func read(_ response: APIResponse<Page>, at cursor: String?) -> Page {
        let page = response.value
        if let tag = response.head.headers["ETag"] {
            pages.append(
                ListedPage(cursor: cursor, next: page.nextCursor, entityTag: tag, count: page.items.count))
        } else {
            lacksTag = true
        }
        return page
    }

    /// The pages, if `items` are all of theirs in their order.
    func pages(of items: [Stored<Content>]) -> [ListedPage] {
        !lacksTag && pages.reduce(0) { $0 + $1.count } == items.count ? pages : []
    }
}
