public import StrataDomain

/// A request for a page, with what a browser says beside the endpoint.
public struct PageRequest: Sendable {
    /// What is known of the request; without a principal, because a page reads its cookie itself.
    public let scope: RequestScope
    /// The fields `Cookie`, as they were sent.
    public let cookies: [String]
    /// Whether a browser says that another site sent the request: `Sec-Fetch-Site` (Fetch Metadata, W3C), and `Origin`,
    /// which must name the host of the request. A program that sends neither is no browser, and has no cookies of others.
    public let isForeign: Bool

    init(_ input: EndpointInput) {
        let headers = input.parts.headers
        scope = input.scope
        cookies = headers.values("Cookie")
        let (sites, origins) = (headers.values("Sec-Fetch-Site"), headers.values("Origin"))
        // A page that hides its origin sends `null`.
        let areOwn = origins.allSatisfy { origin in
            guard let host = Authority(input.host) else { return false }
            return PublicURL(origin)?.names(host) ?? (origin == "null" && !sites.isEmpty)
        }
        isForeign = !areOwn || !sites.allSatisfy { $0 == "same-origin" || $0 == "none" }
    }
}

extension APIRoutes {
    /// Adds a page, or the target of its forms. It is open to anyone; `body` finds the caller by the cookie, which only pages
    /// get to see.
    public mutating func page<E: RoutedEndpoint>(
        _ endpoint: E.Type, _ body: @escaping @Sendable (E, PageRequest) async throws -> HTMLPage
    ) where E.Response == HTMLPage {
        let encoder = ResponseEncoder(endpoint, .anyone)
        mount(endpoint, .anyone) { input in
            try encoder.encode(try await body(E(input.parts), PageRequest(input)), to: input.target)
        }
    }
}
