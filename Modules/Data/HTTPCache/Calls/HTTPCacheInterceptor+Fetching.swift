import FoundationEssentials
import StrataConcurrency
import StrataDomain
import StrataNetworking

/// Sends a request to the origin, and decides how its response changes the store.
extension HTTPCacheInterceptor {
    /// The outcome of one request to the origin.
    private enum Reply: Sendable {
        case none
        /// The receiver got the response, or a part of it.
        case delivered
        case notModified(StoredResponse, HeaderFields, at: Date)
        /// A failure that allows a stale response in its place.
        case failed(Int)
        /// The rest of a stored part.
        case rest(StoredResponse, Data)
        /// The response does not fit the request of the client.
        case unusable
    }

    func fetch(_ fetch: CacheDecision.Fetch, for call: CacheCall, _ lead: CacheLead? = nil) async throws {
        let exchange = OriginExchange(
            call: call, fetch: fetch, lead: lead, generation: await generation(call), start: wallClock.now)
        let result = Mutex<Reply>(.none)
        do {
            try await call.next(call.outgoing(fetch.conditions)) { [self] response in
                if let reply = try await judge(response, exchange) { return result.withLock { $0 = reply } }
                result.withLock { $0 = .delivered }
                try await deliver(response, exchange)
            }
        } catch {
            let isDelivered = result.withLock { if case .delivered = $0 { true } else { false } }
            guard !isDelivered, !Task.isCancelled, Self.isUnreachable(error) else {
                lead?.handOver()
                throw error
            }
            lead?.end(.failed(error))
            guard try await serveAfterFailure(fetch.stored, call, status: nil) else { throw error }
            return
        }
        switch result.withLock({ $0 }) {
        case .none, .delivered: return
        case .failed(let status):
            lead?.end(.failed(nil))
            if try await serveAfterFailure(fetch.stored, call, status: status) { return }
        case .notModified(let stored, let fields, let time):
            if try await serveConfirmed(stored, fields, at: time, exchange) { return }
        case .rest(let response, let body):
            if try await serveCompleted(response, body, exchange) { return }
        case .unusable: break
        }
        // The stored body is gone, or the response is not about it: ask as if nothing were stored.
        try await self.fetch(CacheDecision.Fetch(reason: fetch.reason), for: call, lead)
    }

    /// Whether the failure says that the origin could not be reached.
    static func isUnreachable(_ error: any Error) -> Bool {
        switch (error as? NetworkError)?.kind {
        case .offline, .connectionLost, .timeout, .circuitOpen: true
        default: false
        }
    }

    /// Statuses that stand for an origin that fails (RFC 5861, section 4).
    private static let failures: Set<Int> = [500, 502, 503, 504]

    /// - Returns: What to do once the connection is given back; `nil` to deliver the response.
    private func judge(_ response: ClientResponse, _ exchange: OriginExchange) async throws -> Reply? {
        let (status, fields, fetch) = (response.head.status, response.head.headers, exchange.fetch)
        // After a change of the credential the response is not about the stored one.
        guard exchange.call.request.context.mayKeepAnswer else {
            guard status == 304 || fetch.completes, !fetch.conditions.isEmpty else { return nil }
            await response.body.drain()
            return .unusable
        }
        if Self.failures.contains(status), let stored = fetch.stored, stored.range == nil,
            mayServeAfterFailure(stored, exchange.call)
        {
            await response.body.drain()
            return .failed(status)
        }
        if fetch.completes { return try await judgeRest(response, exchange) }
        guard status == 304, !fetch.conditions.isEmpty else { return nil }
        let chosen: StoredResponse?
        if fetch.variants.isEmpty {
            guard let stored = fetch.stored else { return nil }
            chosen = Revalidation.confirms(stored, fields) ? stored : nil
        } else {
            chosen = fetch.variants.first { Revalidation.chooses($0, fields) }
        }
        await response.body.drain()
        return chosen.map { .notModified($0, fields, at: wallClock.now) } ?? .unusable
    }

    /// The response to a request for the rest of a stored part.
    private func judgeRest(_ response: ClientResponse, _ exchange: OriginExchange) async throws -> Reply? {
        let (status, fields) = (response.head.status, response.head.headers)
        guard let stored = exchange.fetch.stored, [206, 304, 416].contains(status) else { return nil }
        guard status == 206, let place = ContentRange(fields.values("Content-Range")),
            PartialContent.belongTogether(stored.fields, fields),
            place.range.upperBound == place.total, place.range.lowerBound == stored.range?.upperBound,
            stored.length + place.range.count <= options.entryLimit
        else {
            await response.body.drain()
            return .unusable
        }
        let body = try await response.body.collect(upTo: place.range.count)
        guard body.count == place.range.count else { return .unusable }
        let rest = storedResponse(
            response.head, exchange, at: wallClock.now, length: body.count, range: place.range)
        return .rest(rest, body)
    }
}
