import StrataDomain
import StrataTesting
import Testing

struct PagesTests {
    private struct Page: Codable, Sendable {
        var items: [Int]
        var next: String?
    }

    private struct ListNumbers: ManualEndpoint {
        typealias Response = Page
        var after: String?
        var page = 1
        var offset: Int?
        var method: HTTPMethod { .get }
        var path: String { "/numbers" }
        var query: QueryItems {
            var query: QueryItems = ["page": "\(page)"]
            if let after { query.add("after", after) }
            if let offset { query.add("offset", "\(offset)") }
            return query
        }
        var headers: HeaderFields { ["Accept": "application/vnd.numbers+json"] }
    }

    private struct ListArrays: ManualEndpoint {
        typealias Response = [Int]
        var page: Int?
        var method: HTTPMethod { .get }
        var path: String { "/arrays" }
        var query: QueryItems { ["page": "\(page ?? 1)"] }
    }

    private let client = MockAPIClient()

    /// Three pages: without cursor, with `b`, with `c`.
    private func serve() {
        client.on(ListNumbers.self) { endpoint, _ in
            switch endpoint.after {
            case nil: Page(items: [1, 2], next: "b")
            case "b": Page(items: [], next: "c")
            default: Page(items: [3], next: nil)
            }
        }
    }

    @Test func `a cursor in the body goes into the endpoint until there is none`() async throws {
        serve()
        var pages: [[Int]] = []
        for try await page in client.pages(ListNumbers(), next: .cursor(\.next, into: \.after)) {
            pages.append(page.value.items)
        }
        #expect(pages == [[1, 2], [], [3]])
        #expect(client.calls(to: ListNumbers.self).map(\.after) == [nil, "b", "c"])
    }

    @Test func `the items of all pages are one sequence, and a page is asked for when it is needed`() async throws {
        serve()
        var items: [Int] = []
        for try await item in client.pages(ListNumbers(), next: .cursor(\.next, into: \.after)).items(\.items) {
            items.append(item)
            if items == [1, 2] { #expect(client.calls.count == 1) }
        }
        #expect(items == [1, 2, 3])
    }

    @Test func `each iteration begins anew`() async throws {
        serve()
        let pages = client.pages(ListNumbers(), next: .cursor(\.next, into: \.after))
        for _ in 0..<2 {
            var count = 0
            for try await _ in pages { count += 1 }
            #expect(count == 3)
        }
    }

    @Test func `page numbers count up while there is more, and an array is its own items`() async throws {
        client.on(ListArrays.self) { endpoint, _ in
            let page = endpoint.page ?? 1
            return page < 4 ? [page, -page] : []
        }
        var items: [Int] = []
        for try await item in client.pages(ListArrays(), next: .number(\.page, while: { !$0.isEmpty })).items {
            items.append(item)
        }
        #expect(items == [1, -1, 2, -2, 3, -3])
        #expect(client.calls(to: ListArrays.self).map(\.page) == [nil, 2, 3, 4])
    }

    @Test func `an offset grows by the size of a page`() async throws {
        client.on(ListNumbers.self) { endpoint, _ in
            Page(items: Array(repeating: 0, count: endpoint.offset == 20 ? 3 : 10))
        }
        var count = 0
        let pages = client.pages(
            ListNumbers(), next: .number(\.offset, from: 0, by: 10, while: { $0.items.count == 10 }))
        for try await page in pages { count += page.value.items.count }
        #expect(count == 23)
        #expect(client.calls(to: ListNumbers.self).map(\.offset) == [nil, 10, 20])
    }

    @Test func `a cursor that comes again is an error, since the list may be cut`() async throws {
        client.on(ListNumbers.self) { endpoint, _ in Page(items: [0], next: endpoint.after == "b" ? "c" : "b") }
        var count = 0
        let error = await #expect(throws: NetworkError.self) {
            for try await _ in client.pages(ListNumbers(), next: .cursor(\.next, into: \.after)) { count += 1 }
        }
        // Without cursor, b, c; and c names b.
        #expect(count == 3)
        #expect(error?.description.contains("page 3 of the list names itself or a page before it") == true)
    }

    @Test func `a rule of one's own ends at a last page that names itself`() async throws {
        client.on(ListNumbers.self) { _, _ in Page(items: [0], next: "b") }
        var count = 0
        let pages = client.pages(
            ListNumbers(),
            next: .following { page in
                guard let next = page.value.next, next != page.endpoint.after else { return nil }
                var endpoint = page.endpoint
                endpoint.after = next
                return .endpoint(endpoint)
            })
        for try await _ in pages { count += 1 }
        #expect(count == 2)
    }

    @Test func `an empty cursor means the last page`() async throws {
        client.on(ListNumbers.self) { _, _ in Page(items: [0], next: "") }
        var count = 0
        for try await _ in client.pages(ListNumbers(), next: .cursor(\.next, into: \.after)) { count += 1 }
        #expect(count == 1)
    }

    @Test func `more pages than the limit are an error after those before it`() async throws {
        client.on(ListNumbers.self) { endpoint, _ in Page(items: [0], next: (endpoint.after ?? "") + "x") }
        var count = 0
        let error = await #expect(throws: NetworkError.self) {
            for try await _ in client.pages(ListNumbers(), next: .cursor(\.next, into: \.after), upTo: 3) { count += 1 }
        }
        #expect(error?.description.contains("more than 3 pages") == true)
        #expect(count == 3)
        #expect(client.calls.count == 3)
    }

    @Test func `a URL in the body is asked with the fields of the endpoint, once each`() async throws {
        client.on(ListNumbers.self) { _, _ in Page(items: [1], next: "https://a.test/numbers?p=2") }
        client.on(LinkedEndpoint<ListNumbers>.self) { endpoint, _ in
            Page(
                items: [2],
                next: endpoint.url == "https://a.test/numbers?p=2" ? "https://a.test/numbers?p=3" : endpoint.url)
        }
        var items: [Int] = []
        let pages = client.pages(ListNumbers(), next: .url(\.next), options: CallOptions(attemptTimeout: .seconds(7)))
        let error = await #expect(throws: NetworkError.self) {
            for try await page in pages { items += page.value.items }
        }
        #expect(error?.description.contains("page 3 of the list names itself or a page before it") == true)
        #expect(items == [1, 2, 2])
        let requests = try client.calls.map { try $0.endpoint.request() }
        #expect(requests.map(\.url) == [nil, "https://a.test/numbers?p=2", "https://a.test/numbers?p=3"])
        #expect(requests.allSatisfy { $0.headers["Accept"] == "application/vnd.numbers+json" })
        #expect(client.calls.allSatisfy { $0.options.attemptTimeout == .seconds(7) })
    }

    @Test func `a failure ends the pages`() async throws {
        client.on(ListNumbers.self) { endpoint, _ in
            guard endpoint.after == nil else { throw NetworkError(.server(500, nil)) }
            return Page(items: [1], next: "b")
        }
        var pages = client.pages(ListNumbers(), next: .cursor(\.next, into: \.after)).makeAsyncIterator()
        #expect(try await pages.next()?.value.items == [1])
        await #expect(throws: NetworkError.self) { _ = try await pages.next() }
        #expect(try await pages.next() == nil)
        #expect(client.calls.count == 2)
    }
}
