import Logging
import StrataDomain

/// What a refresh came to.
enum Renewal: Sendable {
    /// New, or found in the store where another process put them.
    case tokens(SessionTokens)
    /// The server ended the session, and the store is cleared.
    case ended(NetworkError)
    /// Nobody is logged in, or somebody logged out meanwhile.
    case loggedOut
    /// The session stays.
    case failed(NetworkError)

    var answer: RefreshFlight.Answer {
        switch self {
        case .tokens(let tokens): .success(tokens)
        case .ended(let error): .failure(NetworkError(.unauthorized(error.problem), request: error.request))
        case .loggedOut: .failure(.notLoggedIn)
        case .failed(let error): .failure(error)
        }
    }
}

extension RefreshingTokenProvider {
    /// Renews under the lock of the store.
    nonisolated func renewal(rejecting rejected: Secret, generation: Int) async -> Renewal {
        do {
            return try await store.withLock {
                try await self.renewalInside(rejecting: rejected, generation: generation)
            }
        } catch {
            let failure = NetworkError(inRefresh: error)
            let level = if case .cancelled = failure.kind { Logger.Level.debug } else { Logger.Level.info }
            logger.log(level: level, "the tokens were not refreshed", metadata: ["reason": "\(failure)"])
            return .failed(failure)
        }
    }

    private nonisolated func renewalInside(rejecting rejected: Secret, generation: Int) async throws -> Renewal {
        guard let stored = try await store.read() else { return .loggedOut }
        clock.adopt(stored)
        // Another process was faster.
        if stored.access != rejected, stored.isUsable(at: clock.now) { return .tokens(stored) }
        guard !store.isReadOnly else {
            throw TokenStoreError(
                "The server refused the token of the \(store.place), or it has expired; put a new one there.")
        }
        if let pause = await pause(before: stored) { throw NetworkError(.rateLimited(retryAfter: pause)) }
        // The server rotates: what it answers has to find room.
        try await store.reserve()
        do {
            return try await keep(
                try await refresher.refresh(stored.refresh), replacing: stored, generation: generation)
        } catch let error as NetworkError where error.endsSession {
            return try await end(stored, because: error)
        }
    }

    /// Stores renewed tokens, unless somebody logged out or in meanwhile. A cancelled caller does not stop this: the
    /// server has rotated, and losing its answer would end the session.
    private nonisolated func keep(
        _ renewed: SessionTokens, replacing old: SessionTokens, generation: Int
    ) async throws -> Renewal {
        var renewed = await stamped(renewed)
        guard await isCurrent(generation), let stored = try await store.read() else { return .loggedOut }
        guard stored.refresh == old.refresh else { return .tokens(stored) }
        renewed.account = stored.account
        try await store.write(renewed)
        logger.debug("the tokens were refreshed", metadata: ["place": "\(store.place)"])
        return .tokens(renewed)
    }

    private nonisolated func end(_ old: SessionTokens, because error: NetworkError) async throws -> Renewal {
        guard let stored = try await store.read() else { return .loggedOut }
        guard stored.refresh == old.refresh else { return .tokens(stored) }
        try await store.clear()
        return .ended(error)
    }
}
