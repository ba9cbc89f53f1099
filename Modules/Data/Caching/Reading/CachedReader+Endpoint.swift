import FoundationEssentials
public import StrataDomain

extension CachedReader {
    /// The response of a GET, by `policy`: its key follows from the client's server and identity and from the request with its
    /// header fields, and it has the path as its tag.
    ///
    /// ```swift
    /// let stars = try await cache.read(ListStars(user: "ada"), through: client).value
    /// ```
    ///
    /// - Parameter client: A response is never shown to another identity than the one that it was sent to.
    /// - Throws: As the other reads; `.validation` for an endpoint that does not fit its route, or is no GET.
    public func read<E: Endpoint>(
        _ endpoint: E, through client: some IdentifiedClient, policy: ReadPolicy = .cacheFirst,
        options: ReadOptions = ReadOptions()
    ) async throws(DomainError) -> Snapshot<E.Response> where E.Response: Codable {
        let request: EndpointRequest
        do { request = try endpoint.request() } catch { throw .validation(error.description) }
        guard request.method == .get else {
            throw .validation(
                "Only a GET can be read through a cache; send '\(request.method.rawValue)' with the client.")
        }
        let principal: String
        do { principal = try await client.principal() } catch { throw DomainError(error) }
        var options = options
        options.tags.insert(request.path)
        let fields = (request.headers.fields + endpoint.options.headers.fields)
            .map { "\($0.name.lowercased()): \($0.value)" }.sorted()
        let owner = ([principal] + fields).joined(separator: "\n")
        return try await read(E.Response.self, CacheKey(principal: owner, request), policy: policy, options: options) {
            () throws(DomainError) in
            let (value, now): (E.Response, String)
            do { (value, now) = (try await client.send(endpoint), try await client.principal()) } catch {
                throw DomainError(error)
            }
            // Another user may have logged in since the read began.
            guard now == principal else { throw .busy("The session changed during the read; read again.") }
            return value
        }
    }
}

extension CachedReader {
    /// A reader with a cache of its own.
    ///
    /// - Parameter directory: As for `TwoTierCache`; `nil`, the default, for memory only.
    public convenience init(directory: String?) { self.init(cache: TwoTierCache(directory: directory)) }
}
