import StrataDomain

/// A request for a page, with what a browser says beside the endpoint.
public struct PageRequest: Sendable {
    /// What is known of the request. Its principal is the signed-in user of a page for users, and `nil` in an open page.
    public internal(set) var scope: RequestScope
    /// The path that was asked for, with its query.
    public let path: String
    /// The fields `Cookie`, as they were sent.
    public let cookies: [String]
    /// Whether a browser says that another site sent the request: `Sec-Fetch-Site` (Fetch Metadata, W3C), and `Origin`,
    /// which must name the host of the request. A program that sends neither is no browser, and has no cookies of others.
    public let isForeign: Bool
    /// What the log says of the request.
    let notes: CallNotes
    private let store: any Store
    private let authenticator: any Authenticator

    init(_ input: EndpointInput) {
        let headers = input.parts.headers
        scope = input.scope
        path = input.target.replacing([:])
        cookies = headers.values("Cookie")
        let (sites, origins) = (headers.values("Sec-Fetch-Site"), headers.values("Origin"))
        // A page that hides its origin sends `null`.
        let areOwn = origins.allSatisfy { origin in
            guard let host = Authority(input.host) else { return false }
            return PublicURL(origin)?.names(host) ?? (origin == "null" && !sites.isEmpty)
        }
        isForeign = !areOwn || !sites.allSatisfy { $0 == "same-origin" || $0 == "none" }
        (notes, store, authenticator) = (input.notes, input.store, input.authenticator)
    }

    /// The user of the browser, with the current name and role; `nil` without a login. Reads two rows by their keys.
    public func caller() async throws -> PageCaller? { try await authenticator.caller(of: self) }

    /// The result of `body`, which runs in a transaction that cannot write.
    public func read<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreReader) throws -> Result
    ) async throws -> Result { try await store.read(body) }

    /// The result of `body`, whose writes commit together; it is repeated when another transaction has overtaken it.
    public func write<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Result
    ) async throws -> Result { try await store.write(body) }

    /// The page in place of one that is not shown.
    func page(for refusal: PageRefusal) throws -> HTMLPage { try authenticator.page(for: refusal) }
}
