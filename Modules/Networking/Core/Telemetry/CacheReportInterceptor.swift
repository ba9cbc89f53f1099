import StrataDomain

/// Emits one event about the decision of the cache, when the response comes. Stands right above the cache.
public struct CacheReportInterceptor: Interceptor {
    private let cache: String

    /// - Parameter cache: The cache's name in `Cache-Status`; what other caches on the way say is not told.
    public init(cache: String) { self.cache = cache }

    public var keepsIdentity: Bool { true }

    public func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
        let notes = CacheNotes()
        try await CacheNotes.$current.withValue(notes) {
            try await next(request) { [cache] response in
                if var report = CacheReport(cache: cache, in: response.head.headers.values("Cache-Status")) {
                    report.tier = report.isHit ? notes.tier : nil
                    report.key = notes.key
                    request.context.emit(.cached(report))
                }
                try await receive(response)
            }
        }
    }
}
