import FoundationEssentials
import StrataCaching
import StrataConcurrency
public import StrataDomain
public import StrataNetworking

/// An HTTP cache in the pipeline (RFC 9111, RFC 5861, RFC 9211).
///
/// Serves from the store where the rules allow it, asks the origin with conditions otherwise, and stores a response while
/// the caller reads it. Calls for the same response at the same time share one request. `Cache-Status` says how each
/// response was obtained. A store that fails counts as empty.
///
/// A private cache is partitioned by principal: the account of a call (`CallContext.owner`, known before the call comes
/// here), the credentials that the caller added, and `principal`. A response that came after the server refused the call's
/// credential is not stored. A call whose identity is not known (`CallContext.isIdentityKnown`) passes by the store.
public final class HTTPCacheInterceptor: Interceptor {
    /// The principal of a call, besides its credentials; `nil` for an anonymous call, which has a partition of its own.
    public typealias Principal = @Sendable (ClientRequest) async throws -> String?
    /// The tags of the responses of a URL, besides `HTTPCacheTags.current`.
    public typealias Tags = @Sendable (HTTPURL) -> Set<String>

    let store: any HTTPCacheStore
    let options: HTTPCacheOptions
    let wallClock: any WallClock
    let time: MonotonicTime
    let flights = CacheFlights()
    let hitForMiss = HitForMiss()
    let background: BackgroundWork
    private let tags: Tags
    private let principal: Principal?

    /// - Parameters:
    ///   - principal: Names the principal of a call besides its credentials. In a shared cache a principal means that a
    ///     credential will be sent. Default: the credentials alone count.
    ///   - tags: Names under which the responses of a URL are removed together with others. Default: none.
    ///   - wallClock: Gives the age of a response.
    ///   - timer: Bounds work in the background, and `drain`.
    public init(
        store: any HTTPCacheStore, options: HTTPCacheOptions = HTTPCacheOptions(), tags: @escaping Tags = { _ in [] },
        wallClock: any WallClock = SystemWallClock(), timer: some Clock<Duration> = ContinuousClock(),
        principal: Principal? = nil
    ) {
        self.store = store
        self.options = options
        self.tags = tags
        self.wallClock = wallClock
        self.principal = principal
        time = MonotonicTime(timer)
        background = BackgroundWork(limit: options.backgroundLimit)
    }

    /// Waits until no revalidation runs in the background.
    ///
    /// - Returns: Whether all ended in time; the others go on.
    @discardableResult
    public func drain(upTo limit: Duration) async -> Bool { await background.drain(upTo: limit, on: time) }

    /// Cancels the revalidations in the background; no other begins. For a program that exits.
    public func cancelBackground() { background.cancel() }

    /// Marks the stored responses of `url` for revalidation before their next use: in a shared cache for all, in a private one for
    /// anonymous calls of `principal`.
    public func invalidate(_ url: HTTPURL, principal: String? = nil) async {
        let partition = principal.map { "p:" + $0 } ?? ""
        await invalidate(
            [url.description], like: HTTPCacheKey(principal: isPrivate ? partition : "", url: url.description))
    }

    public var keepsIdentity: Bool { true }

    var isPrivate: Bool { options.rules.mode == .private }

    public func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
        try await answer(try await call(request, receive: receive, next: next))
    }

    private func call(
        _ request: ClientRequest, receive: @escaping Receive, next: @escaping Next
    ) async throws -> CacheCall {
        let named =
            if let principal {
                try await request.context.withinDeadline { try await principal(request) }
            } else { String?.none }
        let partition = PartitionKey(request, tellsCookiesApart: options.tellsCookiesApart || !isPrivate)
        var policy = HTTPCachePolicy.current ?? options.policy
        if request.body != nil, request.method.isSafe { policy = .noStore }
        let url = request.url.description
        let asked = CacheRequest(
            method: request.method.rawValue, url: url, fields: partition.fields(request.headers),
            isAuthorized: !isPrivate && (named != nil || !partition.isAnonymous), policy: policy,
            isUncached: !request.context.isIdentityKnown)
        let key = HTTPCacheKey(principal: isPrivate ? partition.principal(named) : "", url: url)
        return CacheCall(
            request: request, asked: asked, key: key, tags: HTTPCacheTags.current.union(tags(request.url)),
            receive: receive, next: next)
    }

    // MARK: - Calls

    private func answer(_ call: CacheCall) async throws {
        var mayWait = true
        var isCollapsed = false
        while true {
            let decision = await decide(call)
            guard case .fetch(let fetch) = decision else {
                if try await serve(decision, call, isCollapsed: isCollapsed) { return }
                continue  // The entry that could not be read is removed now.
            }
            guard mayWait, let key = await flightKey(call) else { return try await self.fetch(fetch, for: call) }
            switch try await flights.join(key, until: call.request.context.deadline.limit) {
            case .leads: return try await lead(call, CacheLead(key, in: flights))
            case .value(.stored): (mayWait, isCollapsed) = (false, true)
            case .value(.unshared): mayWait = false
            case .value(.failed(let error)):
                if try await serveAfterFailure(fetch.stored, call, status: nil) { return }
                if let error { throw error }
                mayWait = false
            case nil: throw NetworkError(.timeout)
            }
        }
    }

    func decide(_ call: CacheCall) async -> CacheDecision {
        let stored = await store.responses(for: call.key)
        return CacheDecision.decide(call.asked, stored: stored, now: wallClock.now, rules: options.rules)
    }
}
