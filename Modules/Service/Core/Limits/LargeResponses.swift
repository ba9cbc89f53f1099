import StrataConcurrency
import StrataSystem

/// Bounds the bytes of large responses, from their encoding until their readers have taken them, over all connections.
///
/// At the bound a request waits before its response is encoded; callers take turns. A caller without a large response waits
/// only at twice the bound. While a request waits, connections whose readers are slower than `leastRate` are closed, the
/// latest first.
final class LargeResponses: Sendable {
    /// Smaller responses are not counted: the buffers of a connection hold as much.
    static let smallest = 128 * 1024
    /// Bytes per second that a reader must take while a request waits. Each response has at least a second.
    static let leastRate = 128 * 1024

    /// A large response of `caller`.
    struct Claim: Sendable {
        let bytes: Int
        let caller: String
        /// Closes the connection of the response.
        let close: @Sendable () -> Void
    }

    private struct Entry {
        let claim: Claim
        /// When its reader is slower than `leastRate`.
        let lateAt: Duration
        var isClosing = false
    }

    private struct Request {
        let claim: Claim
        let waiter: Waiter<LargeResponsePermit>
    }

    private struct State {
        var bytes = 0
        var entries: [Int: Entry] = [:]
        var lastID = 0
        var queue = FairQueue<Request>()
        /// The next look at slow readers; `nil` while no request waits.
        var timer: Int?

        mutating func add(_ claim: Claim, at now: Duration) -> Int {
            lastID += 1
            bytes += claim.bytes
            let time: Duration = .milliseconds(max(1000, claim.bytes * 1000 / LargeResponses.leastRate))
            entries[lastID] = Entry(claim: claim, lateAt: now + time)
            return lastID
        }
    }

    private let limit: Int
    private let timers: TimerQueue
    private let state = Mutex(State())

    /// - Parameter limit: In bytes, at least 1.
    init(limit: Int, timers: TimerQueue) { (self.limit, self.timers) = (max(1, limit), timers) }

    /// Bytes of the responses that hold a permit.
    var bytes: Int { state.withLock(\.bytes) }

    /// Requests that wait for a permit.
    var waiting: Int { state.withLock(\.queue.count) }

    var samples: [MetricSample] {
        [
            MetricSample(
                "http_large_response_bytes", .gauge, "Bytes of responses above 128 KiB that are being sent.",
                Double(bytes)),
            MetricSample(
                "http_large_responses_waiting", .gauge, "Reads that wait until large responses were sent.",
                Double(waiting)),
        ]
    }

    /// - Returns: `nil` at the bound.
    func take(_ claim: Claim) -> LargeResponsePermit? {
        let id = state.withLock { state -> Int? in
            let isNew = !state.entries.values.contains { $0.claim.caller == claim.caller }
            guard state.bytes < (isNew ? 2 * limit : limit) else { return nil }
            return state.add(claim, at: timers.now)
        }
        return id.map { LargeResponsePermit($0, of: self) }
    }

    /// Waits for a permit.
    ///
    /// - Throws: 503 when `limit` comes first; `CancellationError`.
    func wait(for claim: Claim, until limit: WaitLimit) async throws -> LargeResponsePermit {
        if let permit = take(claim) { return permit }
        let request = Request(claim: claim, waiter: Waiter())
        state.withLock { $0.queue.append(request, for: claim.caller) }
        // A permit may have been returned before the request was in the queue.
        admit()
        closeLate()
        defer { leave(request) }
        guard let permit = try await request.waiter.wait(until: limit) else {
            throw ServiceError.unavailable("Too many large responses wait for their readers.", seconds: 1)
        }
        return permit
    }

    private func leave(_ request: Request) {
        let timer = state.withLock { state -> Int? in
            _ = state.queue.remove(for: request.claim.caller) { $0.waiter === request.waiter }
            guard state.queue.count == 0 else { return nil }
            defer { state.timer = nil }
            return state.timer
        }
        if let timer { timers.cancel(timer) }
    }

    fileprivate func release(_ id: Int) {
        state.withLock { state in
            if let entry = state.entries.removeValue(forKey: id) { state.bytes -= entry.claim.bytes }
        }
        admit()
    }

    /// Gives permits to the next requests, up to the bound.
    private func admit() {
        let admitted = state.withLock { state -> [(Request, Int)] in
            var admitted: [(Request, Int)] = []
            while state.bytes < limit, let request = state.queue.popFirst() {
                admitted.append((request, state.add(request.claim, at: timers.now)))
            }
            return admitted
        }
        // A request that has left drops its permit, which admits the next one.
        for (request, id) in admitted { request.waiter.resume(LargeResponsePermit(id, of: self)) }
    }

    /// Closes as many late connections as requests wait. A timer calls it again each second.
    private func closeLate(byTimer: Bool = false) {
        let now = timers.now
        let late = state.withLock { state -> [Claim] in
            if byTimer { state.timer = nil }
            guard state.queue.count > 0 else { return [] }
            if state.timer == nil {
                state.timer = timers.schedule(at: now + .seconds(1)) { [weak self] in self?.closeLate(byTimer: true) }
            }
            let late = state.entries.filter { !$0.value.isClosing && $0.value.lateAt <= now }
                .sorted { $0.value.lateAt < $1.value.lateAt }.prefix(state.queue.count)
            for (id, _) in late { state.entries[id]?.isClosing = true }
            return late.map(\.value.claim)
        }
        for claim in late { claim.close() }
    }
}

/// The right to hold a large response. It returns when its last reference is released.
final class LargeResponsePermit: Sendable {
    private let id: Int
    private let responses: LargeResponses

    fileprivate init(_ id: Int, of responses: LargeResponses) { (self.id, self.responses) = (id, responses) }

    deinit { responses.release(id) }
}
