import FoundationEssentials
import StrataConcurrency
import StrataDomain
import StrataNetworking

/// Asks the origin, and decides what its response means for the store.
extension HTTPCacheInterceptor {
    typealias Settle = @Sendable (CacheFlights.Outcome) -> Void

    /// The outcome of one request to the origin.
    private enum Result: Sendable {
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

    func fetch(
        _ fetch: CacheDecision.Fetch, for call: CacheCall, _ flight: CacheFlight? = nil,
        settle: @escaping Settle = { _ in }
    ) async throws {
        let generation = await generation(call)
        let start = wallClock.now
        let result = Mutex<Result>(.none)
        do {
            try await call.next(call.outgoing(fetch.conditions)) { [self] response in
                if let answer = try await judge(response, fetch, call, since: start) {
                    return result.withLock { $0 = answer }
                }
                result.withLock { $0 = .delivered }
                try await deliver(response, fetch, call, flight, since: start, generation, settle: settle)
            }
        } catch {
            let isDelivered = result.withLock { if case .delivered = $0 { true } else { false } }
            guard !isDelivered, !Task.isCancelled, Self.isUnreachable(error) else {
                settle(.abandoned)
                throw error
            }
            settle(.failed(error))
            guard try await serveAfterFailure(fetch.stored, call, status: nil) else { throw error }
            return
        }
        switch result.withLock({ $0 }) {
        case .none, .delivered: return
        case .failed(let status):
            settle(.failed(nil))
            if try await serveAfterFailure(fetch.stored, call, status: status) { return }
        case .notModified(let stored, let fields, let time):
            if try await serveConfirmed(fetch, stored, fields, call, from: start, to: time, generation, settle) {
                return
            }
        case .rest(let response, let body):
            if try await serveCompleted(fetch, response, body, call, generation, settle) { return }
        case .unusable: break
        }
        // The stored body is gone, or the response is not about it: ask as if nothing were stored.
        let plain = CacheDecision.Fetch(reason: fetch.reason)
        try await self.fetch(plain, for: call, flight, settle: settle)
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
    private func judge(
        _ response: ClientResponse, _ fetch: CacheDecision.Fetch, _ call: CacheCall, since start: Date
    ) async throws -> Result? {
        let status = response.head.status
        let fields = response.head.headers
        let now = wallClock.now
        // The request carried another credential than the stored response, so the response is not about that one.
        guard call.request.context.mayKeepAnswer else {
            guard status == 304 || fetch.completes, !fetch.conditions.isEmpty else { return nil }
            await response.body.drain()
            return .unusable
        }
        if Self.failures.contains(status), let stored = fetch.stored, stored.range == nil,
            StaleUse.isAllowed(stored, for: call.asked, because: .failure, now: now, rules: options.rules)
        {
            await response.body.drain()
            return .failed(status)
        }
        if status == 304, !fetch.variants.isEmpty {
            await response.body.drain()
            let chosen = fetch.variants.first { Revalidation.chooses($0, fields) }
            return chosen.map { .notModified($0, fields, at: now) } ?? .unusable
        }
        guard !fetch.conditions.isEmpty, let stored = fetch.stored else { return nil }
        if fetch.completes {
            guard status == 206 || status == 416 || status == 304 else { return nil }
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
            let part = make(
                status: 206, reason: "", fields, call, since: start, at: now, length: body.count, range: place.range)
            return .rest(part, body)
        }
        guard status == 304 else { return nil }
        await response.body.drain()
        return Revalidation.confirms(stored, fields) ? .notModified(stored, fields, at: now) : .unusable
    }
}
