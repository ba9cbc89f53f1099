public import Logging
import StrataConcurrency
public import StrataDomain

/// The session's tokens from a store, renewed before they expire or when the server refuses them.
///
/// Any number of tasks and processes cause one refresh: tasks share a single flight; processes take the lock of the store and
/// then read it again. Renewed tokens are stored before a caller gets them. A logout wins over a refresh in flight.
///
/// Where the refresher needs no login (`TokenRefresher.issue`), the first call gets the first tokens, also after a logout.
public actor RefreshingTokenProvider: TokenProvider {
    let store: any TokenStore
    let refresher: any TokenRefresher
    let clock: ServerClock
    let logger: Logger
    private let skew: Duration
    private let refreshDeadline: Duration
    private let timer: any Clock<Duration>
    private let onSessionEnd: @Sendable () -> Void

    private(set) var tokens: SessionTokens? {
        didSet { held.withLock { $0 = tokens } }
    }
    /// A copy of `tokens` that is read without waiting for this actor.
    private nonisolated let held = Mutex<SessionTokens?>(nil)
    /// The generation: rises with each login, logout and end of a session. A refresh of an older one does not install its result.
    private(set) var generation = 0
    private var flight: RefreshFlight?
    private var lastNumber = 0

    /// - Parameters:
    ///   - clock: Tells whether a token is about to expire.
    ///   - skew: How long before its expiry a token is renewed; at most half of its life.
    ///   - refreshDeadline: Time for one refresh, waiting for other processes included. Callers get `.timeout` then;
    ///     tokens that arrive later are still stored.
    ///   - timer: Measures `refreshDeadline`.
    ///   - onSessionEnd: Called once when the server ended the session; not after a logout.
    public init(
        store: any TokenStore, refresher: any TokenRefresher, clock: ServerClock = ServerClock(),
        skew: Duration = .seconds(60), refreshDeadline: Duration = .seconds(30),
        timer: any Clock<Duration> = ContinuousClock(), logger: Logger = Logger(label: "strata.tokens"),
        onSessionEnd: @escaping @Sendable () -> Void = {}
    ) {
        self.store = store
        self.refresher = refresher
        self.clock = clock
        self.skew = skew
        self.refreshDeadline = refreshDeadline
        self.timer = timer
        self.logger = logger
        self.onSessionEnd = onSessionEnd
    }

    public func currentToken() async throws(NetworkError) -> Secret? {
        guard let tokens = try await known() else {
            return refresher.issue == nil ? nil : try await renewed(rejecting: nil).access
        }
        guard tokens.isDue(at: clock.now, skew: skew), !BackgroundRead.isCurrent else { return tokens.access }
        // Nothing can renew it, so it is used to its end.
        if tokens.refresh == nil, refresher.issue == nil, tokens.isUsable(at: clock.now) { return tokens.access }
        do throws(NetworkError) {
            return try await renewed(rejecting: tokens.access).access
        } catch {
            // The old token still works, so an unreachable token endpoint or a full disk stops no call yet.
            guard error.isRetryable || error.isStorage || store.isReadOnly, tokens.isUsable(at: clock.now) else {
                throw error
            }
            return tokens.access
        }
    }

    /// From memory, unless it is about to expire.
    public nonisolated var tokenAtHand: Secret? {
        guard let tokens = held.withLock({ $0 }), !tokens.isDue(at: clock.now, skew: skew) else { return nil }
        return tokens.access
    }

    public func refreshToken(rejecting rejected: Secret) async throws(NetworkError) -> Secret {
        if flight == nil, let tokens, tokens.access != rejected { return tokens.access }
        let renewed = try await renewed(rejecting: rejected)
        if renewed.access != rejected { return renewed.access }
        // The flight was started for another token, and found this one in the store.
        let again = try await self.renewed(rejecting: rejected)
        guard again.access != rejected else { throw refresher.issue == nil ? .notLoggedIn : .issuedTokenRefused }
        return again.access
    }

    /// Waits for the refresh in flight, if there is one: a program that ends before it has the response would lose the session,
    /// because the server rotates the refresh token.
    public func finishRefresh() async {
        guard flight != nil, let tokens else { return }
        _ = try? await renewed(rejecting: tokens.access)
    }

    /// From the claims of the token; `nil` when it is no JSON Web Token.
    public nonisolated func account(of token: Secret) -> String? { TokenAccount.name(token) }

    /// How many callers wait for the refresh in flight.
    var waiting: Int { flight?.waiters.count ?? 0 }

    // MARK: - State

    /// The tokens in memory; without any, those of the store.
    private func known() async throws(NetworkError) -> SessionTokens? {
        if let tokens { return tokens }
        let before = generation
        let stored: SessionTokens?
        do throws(TokenStoreError) { stored = try await store.read() } catch {
            throw NetworkError(.storage(error.description))
        }
        // A login, a logout or a refresh may have come in between.
        if generation == before, tokens == nil { tokens = stored }
        clock.assume(tokens?.clockOffset)
        return tokens
    }

    /// Starts a new generation: a login with its tokens, or no session.
    func begin(with tokens: SessionTokens?) {
        generation += 1
        self.tokens = tokens
        flight?.work.cancel()
        settle(tokens.map { .success($0) } ?? .failure(.notLoggedIn))
    }

    private func settle(_ answer: RefreshFlight.Answer) {
        let settled = flight
        flight = nil
        settled?.settle(answer)
    }

    func reportEnd() {
        logger.notice("the server ended the session")
        onSessionEnd()
    }

    func stamped(_ tokens: SessionTokens) -> SessionTokens {
        var stamped = tokens
        stamped.issuedAt = tokens.issuedAt ?? clock.now
        stamped.clockOffset = clock.offset ?? tokens.clockOffset
        return stamped
    }

    func isCurrent(_ generation: Int) -> Bool { generation == self.generation }

    // MARK: - Flight

    private func renewed(rejecting rejected: Secret?) async throws(NetworkError) -> SessionTokens {
        if Task.isCancelled { throw NetworkError(.cancelled) }
        if flight == nil { flight = start(rejecting: rejected) }
        let waiter = nextNumber()
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { flight?.waiters[waiter] = $0 }
        } onCancel: {
            Task { await self.leave(waiter) }
        }
        return try answer.get()
    }

    private func start(rejecting rejected: Secret?) -> RefreshFlight {
        let number = nextNumber()
        let generation = generation
        return RefreshFlight(
            number: number,
            work: Task { finish(number, generation, await renewal(rejecting: rejected, generation: generation)) },
            deadline: Task { [timer, refreshDeadline] in
                guard (try? await timer.sleep(for: refreshDeadline)) != nil else { return }
                abandon(number)
            })
    }

    private func finish(_ number: Int, _ generation: Int, _ renewal: Renewal) {
        // After a login or logout there are no waiters, and the tokens belong to an earlier session.
        guard isCurrent(generation) else { return }
        switch renewal {
        case .tokens(let renewed):
            tokens = renewed
            if flight?.number == number { settle(renewal.answer) }
        case .failed:
            if flight?.number == number { settle(renewal.answer) }
        case .ended, .loggedOut:
            // Also for a later flight, when this one was abandoned.
            self.generation += 1
            tokens = nil
            settle(renewal.answer)
        }
        if case .ended = renewal { reportEnd() }
    }

    private func abandon(_ number: Int) {
        guard flight?.number == number else { return }
        flight?.work.cancel()
        settle(.failure(NetworkError(.timeout).ofRefresh))
    }

    /// Removes a cancelled waiter. The others wait on; with the last one the refresh is cancelled.
    private func leave(_ waiter: Int) {
        guard let continuation = flight?.waiters.removeValue(forKey: waiter) else { return }
        continuation.resume(returning: .failure(NetworkError(.cancelled)))
        guard let flight, flight.waiters.isEmpty else { return }
        flight.work.cancel()
        settle(.failure(NetworkError(.cancelled)))
    }

    private func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }
}
