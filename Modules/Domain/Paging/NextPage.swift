/// Where the page after a page is.
public struct NextPage<E: Endpoint>: Sendable {
    /// The request of a page.
    public enum Step: Sendable {
        /// The endpoint with other parts.
        case endpoint(E)
        /// A reference that the server gave, relative to the URL of the page before it.
        case url(String)
    }

    /// One page, and what was asked for it.
    public struct Page: Sendable {
        /// The response with the page.
        public let response: APIResponse<E.Response>
        /// The endpoint of this page; of a page from a URL, the last one before it.
        public let endpoint: E

        /// A page that was read with `endpoint`.
        public init(response: APIResponse<E.Response>, endpoint: E) {
            self.response = response
            self.endpoint = endpoint
        }

        /// The decoded page.
        public var value: E.Response { response.value }
    }

    let step: @Sendable (Page) -> Step?

    /// Any other rule.
    ///
    /// - Parameter step: The request of the page after this one; `nil` after the last.
    public static func following(_ step: @escaping @Sendable (Page) -> Step?) -> NextPage { NextPage(step: step) }

    /// The target of `rel="next"` in the `Link` fields (RFC 8288).
    public static var link: NextPage { link("next") }

    /// The target of a relation in the `Link` fields (RFC 8288).
    public static func link(_ relation: String) -> NextPage {
        NextPage { page in page.response.head.headers.link(relation).map { .url($0) } }
    }

    /// A URL or a relative reference in the body; `nil` or an empty text on the last page.
    public static func url(_ next: @escaping @Sendable (E.Response) -> String?) -> NextPage {
        NextPage { page in
            guard let url = next(page.value), !url.isEmpty else { return nil }
            return .url(url)
        }
    }

    /// A cursor in the body that goes into the endpoint; `nil` on the last page.
    ///
    /// - Parameters:
    ///   - next: `\.nextCursor`.
    ///   - part: The property of the endpoint: `\.cursor`.
    public static func cursor<Cursor>(
        _ next: any KeyPath<E.Response, Cursor?> & Sendable, into part: any WritableKeyPath<E, Cursor?> & Sendable
    ) -> NextPage {
        NextPage { page in
            guard let cursor = page.value[keyPath: next] else { return nil }
            if let text = cursor as? String, text.isEmpty { return nil }
            var endpoint = page.endpoint
            endpoint[keyPath: part] = cursor
            return .endpoint(endpoint)
        }
    }

    /// Pages by number, or by the offset of their first item.
    ///
    /// - Parameters:
    ///   - part: The property of the endpoint: `\.page`.
    ///   - stride: From one page to the next: 1 for numbers, the size of a page for offsets.
    ///   - hasMore: Whether a page follows this one, such as `{ !$0.isEmpty }`.
    public static func number(
        _ part: any WritableKeyPath<E, Int> & Sendable, by stride: Int = 1,
        while hasMore: @escaping @Sendable (E.Response) -> Bool
    ) -> NextPage {
        NextPage { page in
            guard hasMore(page.value) else { return nil }
            var endpoint = page.endpoint
            let (number, isTooLarge) = endpoint[keyPath: part].addingReportingOverflow(stride)
            endpoint[keyPath: part] = number
            return isTooLarge ? nil : .endpoint(endpoint)
        }
    }

    /// Pages by number, or by the offset of their first item.
    ///
    /// - Parameters:
    ///   - part: The property of the endpoint: `\.page`.
    ///   - first: What `nil` means there: the number of the first page. Default 1.
    public static func number(
        _ part: any WritableKeyPath<E, Int?> & Sendable, from first: Int = 1, by stride: Int = 1,
        while hasMore: @escaping @Sendable (E.Response) -> Bool
    ) -> NextPage {
        NextPage { page in
            guard hasMore(page.value) else { return nil }
            var endpoint = page.endpoint
            let (number, isTooLarge) = (endpoint[keyPath: part] ?? first).addingReportingOverflow(stride)
            endpoint[keyPath: part] = number
            return isTooLarge ? nil : .endpoint(endpoint)
        }
    }
}
