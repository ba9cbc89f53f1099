extension APIClient {
    /// The pages of a list, each asked for when the one before has been taken.
    ///
    /// ```swift
    /// for try await page in client.pages(ListItems(), next: .link) { all += page.value }
    /// for try await item in client.pages(ListItems(), next: .cursor(\.next, into: \.after)).items(\.items) { … }
    /// ```
    ///
    /// Each page is a call like any other, with the retries and the deadline of one. The sequence ends after the last page. It fails
    /// at a page that it has asked for already, at a reference to an origin that is neither the client's nor trusted, and where more
    /// than `limit` pages follow: a list that was cut must not pass for a whole one. For the first pages only, use `prefix`; for an
    /// API whose last page names itself, `NextPage.following`.
    ///
    /// - Parameters:
    ///   - next: Where the next page is.
    ///   - limit: Pages, 1 or more. Default 1000.
    public func pages<E: Endpoint>(
        _ endpoint: E, next: NextPage<E>, upTo limit: Int = 1000, options: CallOptions = CallOptions()
    ) -> Pages<E> {
        Pages(client: self, endpoint: endpoint, next: next, limit: limit, options: options.overlaying(endpoint.options))
    }
}

/// The pages of a list. Each iteration begins with the first one.
public struct Pages<E: Endpoint>: AsyncSequence, Sendable {
    public typealias Element = APIResponse<E.Response>
    public typealias Failure = NetworkError

    let client: any APIClient
    let endpoint: E
    let next: NextPage<E>
    let limit: Int
    let options: CallOptions

    /// The items of all pages, in order.
    ///
    /// - Parameter items: `\.items` of a page.
    public func items<Items: Sequence & Sendable>(
        _ items: any KeyPath<E.Response, Items> & Sendable
    ) -> PageItems<E, Items> {
        PageItems(pages: self, items: { $0[keyPath: items] })
    }

    public func makeAsyncIterator() -> Iterator { Iterator(pages: self) }

    /// Reads page after page; the next one is asked for when it is needed.
    public struct Iterator: AsyncIteratorProtocol {
        /// A request that was sent.
        private enum Visit: Hashable {
            case request(EndpointRequest)
            case url(String)
        }

        private let pages: Pages
        private var endpoint: E
        /// `nil` after the last page.
        private var step: NextPage<E>.Step?
        /// The URL of the last page; what a reference is relative to.
        private var base: String?
        private var seen: Set<Visit> = []
        private var count = 0

        init(pages: Pages) {
            self.pages = pages
            endpoint = pages.endpoint
            step = .endpoint(pages.endpoint)
        }

        public mutating func next() async throws(NetworkError) -> APIResponse<E.Response>? {
            try await next(isolation: #isolation)
        }

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(NetworkError) -> APIResponse<E.Response>? {
            guard let step else { return nil }
            // A failure ends the sequence.
            self.step = nil
            let response = try await response(to: step)
            count += 1
            base = response.url ?? base
            if let url = response.url { seen.insert(.url(url)) }
            self.step = pages.next.step(NextPage.Page(response: response, endpoint: endpoint))
            return response
        }

        private mutating func response(
            to step: NextPage<E>.Step
        ) async throws(NetworkError) -> APIResponse<E.Response> {
            switch step {
            case .endpoint(let endpoint):
                self.endpoint = endpoint
                let request: EndpointRequest
                do { request = try endpoint.request() } catch {
                    throw NetworkError(.invalidRequest(error.description))
                }
                try visit(.request(request))
                return try await pages.client.response(to: endpoint, options: pages.options)
            case .url(let reference):
                let url = try base.map { (base) throws(NetworkError) in
                    try pages.client.context.resolve(reference, base)
                }
                try visit(.url(url ?? reference))
                return try await pages.client.response(
                    to: LinkedEndpoint(endpoint, at: url ?? reference), options: pages.options)
            }
        }

        private mutating func visit(_ visit: Visit) throws(NetworkError) {
            guard seen.insert(visit).inserted else {
                throw NetworkError(
                    .invalidResponse(
                        "page \(count) of the list names itself or a page before it as the next one; "
                            + "check the rule of the next page, such as the name of its cursor"
                    ))
            }
            guard count < Swift.max(1, pages.limit) else {
                throw NetworkError(
                    .invalidResponse("the list has more than \(count) pages; raise the limit 'upTo', or use 'prefix'"))
            }
        }
    }
}

extension Pages where E.Response: Sequence {
    /// The items of all pages, where a page is an array.
    public var items: PageItems<E, E.Response> { PageItems(pages: self, items: { $0 }) }
}

/// The items of all pages of a list, in order.
public struct PageItems<E: Endpoint, Items: Sequence & Sendable>: AsyncSequence, Sendable {
    public typealias Element = Items.Element
    public typealias Failure = NetworkError

    let pages: Pages<E>
    let items: @Sendable (E.Response) -> Items

    public func makeAsyncIterator() -> Iterator { Iterator(pages: pages.makeAsyncIterator(), items: items) }

    /// Reads item after item, across pages.
    public struct Iterator: AsyncIteratorProtocol {
        var pages: Pages<E>.Iterator
        let items: @Sendable (E.Response) -> Items
        var page: Items.Iterator?

        public mutating func next() async throws(NetworkError) -> Items.Element? {
            try await next(isolation: #isolation)
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async throws(NetworkError) -> Items.Element? {
            while true {
                if let item = page?.next() { return item }
                guard let response = try await pages.next(isolation: actor) else { return nil }
                page = items(response.value).makeIterator()
            }
        }
    }
}
