import StrataConcurrency
import StrataSystem

/// Bounds the bytes of large bodies, over all connections: of responses, from their encoding until their readers have taken them; of
/// requests, from before they are read until there is a response.
///
/// At the bound a request waits before its response is encoded, or its body is read; callers take turns. A caller without a large
/// body waits only at twice the bound. One body may pass it. While a request waits, connections whose peers are slower than
/// `leastRate` are closed: first those of the caller with the most bytes, and none of a caller with fewer bytes than all that wait.
final class LargeBodies: Sendable {
    /// Smaller bodies are not counted.
    enum Smallest {
        /// The buffers of a connection hold as much.
        static let response = 128 * 1024
        /// 4096 connections hold 128 MiB of smaller ones.
        static let request = 32 * 1024
    }

    /// Bytes per second that a peer must take or send while a request waits.
    static let leastRate = 128 * 1024
    /// The time of a sender before `leastRate` counts: a round trip, and the slow start of TCP.
    static let senderGrace: Duration = .seconds(3)

    /// A large body of `caller`.
    struct Claim: Sendable {
        /// The most that it may have.
        var bytes: Int
        let caller: String
        /// The bytes that have arrived; `nil` for a response, whose reader has the time of all its bytes, at least a second.
        var received: (@Sendable () -> Int)?
        /// Closes the connection of the body.
        let close: @Sendable () -> Void
    }

    private struct Entry {
        var claim: Claim
        /// When its peer began to take or send it; `nil` while the service works on it.
        var begunAt: Duration?
        var isClosing = false

        /// When its peer is slower than `leastRate`; `nil` while the service works on it.
        var lateAt: Duration? {
            guard let begunAt else { return nil }
            let bytes = claim.received.map { $0() } ?? claim.bytes
            let time = Duration.milliseconds(bytes * 1000 / LargeBodies.leastRate)
            return begunAt + (claim.received == nil ? max(.seconds(1), time) : LargeBodies.senderGrace + time)
        }
    }

    private struct Request {
        let claim: Claim
        let waiter: Waiter<LargeBodyPermit>
    }

    private struct State {
        var bytes = 0
        var entries: [Int: Entry] = [:]
        /// Bytes by caller, without those that have none.
        var held: [String: Int] = [:]
        var lastID = 0
        var queue = FairQueue<Request>()
        /// The next look at slow peers; `nil` while no request waits.
        var timer: Int?

        mutating func add(_ claim: Claim) -> Int {
            lastID += 1
            bytes += claim.bytes
            held[claim.caller, default: 0] += claim.bytes
            entries[lastID] = Entry(claim: claim)
            return lastID
        }

        mutating func begin(_ id: Int, at now: Duration) { entries[id]?.begunAt = now }

        mutating func end(_ id: Int, bytes rest: Int) {
            guard let entry = entries[id] else { return }
            entries[id]?.begunAt = nil
            entries[id]?.claim.bytes = rest
            bytes += rest - entry.claim.bytes
            held[entry.claim.caller, default: 0] += rest - entry.claim.bytes
        }

        mutating func remove(_ id: Int) {
            guard let claim = entries.removeValue(forKey: id)?.claim else { return }
            bytes -= claim.bytes
            let rest = (held[claim.caller] ?? 0) - claim.bytes
            held[claim.caller] = rest > 0 ? rest : nil
        }

        /// The bytes below which `caller` may add a body.
        static func bound(of caller: String, _ held: [String: Int], limit: Int) -> Int {
            held[caller] == nil ? 2 * limit : limit
        }

        /// The next request that may have a permit. One of a caller without a large body passes those that have to wait longer.
        mutating func popNext(limit: Int) -> Request? {
            let (bytes, held) = (bytes, held)
            return queue.popFirst { bytes < Self.bound(of: $0.claim.caller, held, limit: limit) }
        }
    }

    private let limit: Int
    private let timers: TimerQueue
    private let refusal: String
    private let state = Mutex(State())

    /// - Parameters:
    ///   - limit: In bytes, at least 1.
    ///   - refusal: The sentence for a request that waited too long.
    init(limit: Int, timers: TimerQueue, refusal: String) {
        (self.limit, self.timers, self.refusal) = (max(1, limit), timers, refusal)
    }

    /// Bytes of the bodies that hold a permit.
    var bytes: Int { state.withLock(\.bytes) }

    /// Requests that wait for a permit.
    var waiting: Int { state.withLock(\.queue.count) }

    /// A permit for a body that is sent now.
    ///
    /// - Returns: `nil` at the bound.
    func take(_ claim: Claim) -> LargeBodyPermit? {
        let permit = grant(claim)
        permit?.begin()
        return permit
    }

    private func grant(_ claim: Claim) -> LargeBodyPermit? {
        let id = state.withLock { state in
            state.bytes < State.bound(of: claim.caller, state.held, limit: limit) ? state.add(claim) : nil
        }
        return id.map { LargeBodyPermit($0, of: self) }
    }

    /// Waits for a permit for a body that is not in memory yet. The time of its peer begins with `begin`.
    ///
    /// - Throws: 503 when `limit` comes first; `CancellationError`.
    func wait(for claim: Claim, until limit: WaitLimit) async throws -> LargeBodyPermit {
        if let permit = grant(claim) { return permit }
        let request = Request(claim: claim, waiter: Waiter())
        state.withLock { $0.queue.append(request, for: claim.caller) }
        // A permit may have been returned before the request was in the queue.
        admit()
        closeLate()
        defer { leave(request) }
        guard let permit = try await request.waiter.wait(until: limit) else {
            throw ServiceError.unavailable(refusal, seconds: 1)
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

    fileprivate func begin(_ id: Int) { state.withLock { $0.begin(id, at: timers.now) } }

    fileprivate func end(_ id: Int, bytes: Int) {
        state.withLock { $0.end(id, bytes: bytes) }
        admit()
    }

    fileprivate func release(_ id: Int) {
        state.withLock { $0.remove(id) }
        admit()
    }

    /// Gives permits to the next requests, up to the bound.
    private func admit() {
        let admitted = state.withLock { state -> [(Request, Int)] in
            var admitted: [(Request, Int)] = []
            while let request = state.popNext(limit: limit) { admitted.append((request, state.add(request.claim))) }
            return admitted
        }
        // A request that has left drops its permit, which admits the next one.
        for (request, id) in admitted { request.waiter.resume(LargeBodyPermit(id, of: self)) }
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
            let held = state.held
            let leastHeld = state.queue.keys.map { held[$0] ?? 0 }.min() ?? 0
            let late = state.entries.compactMap { id, entry -> (id: Int, bytes: Int, at: Duration, claim: Claim)? in
                guard !entry.isClosing, let at = entry.lateAt, at <= now, let bytes = held[entry.claim.caller],
                    bytes >= leastHeld
                else { return nil }
                return (id, bytes, at, entry.claim)
            }.sorted { $0.bytes == $1.bytes ? $0.at < $1.at : $0.bytes > $1.bytes }.prefix(state.queue.count)
            for one in late { state.entries[one.id]?.isClosing = true }
            return late.map(\.claim)
        }
        for claim in late { claim.close() }
    }
}

/// The right to hold a large body. It returns when its last reference is released.
final class LargeBodyPermit: Sendable {
    private let id: Int
    private let bodies: LargeBodies

    fileprivate init(_ id: Int, of bodies: LargeBodies) { (self.id, self.bodies) = (id, bodies) }

    /// The peer takes or sends its content from now on.
    func begin() { bodies.begin(id) }

    /// The peer has sent its content, which has so many bytes.
    func end(bytes: Int) { bodies.end(id, bytes: bytes) }

    deinit { bodies.release(id) }
}
