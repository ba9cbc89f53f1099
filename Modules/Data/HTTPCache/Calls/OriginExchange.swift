import FoundationEssentials

/// One request of a call to the origin.
struct OriginExchange: Sendable {
    let call: CacheCall
    let fetch: CacheDecision.Fetch
    /// `nil` where no other call waits for the response.
    let lead: CacheLead?
    /// What the response depends on, read before the request.
    var generation: HTTPCacheGeneration
    let start: Date

    /// Ends the lead.
    ///
    /// - Parameter isKept: Whether the store has the response now. Where it was outdated, a waiting call asks again.
    func settle(isKept: Bool) {
        if isKept { lead?.end(.stored) } else { lead?.handOver() }
    }
}
