import Logging
import StrataDomain

/// The outcome of a refresh.
enum Renewal: Sendable {
    /// New tokens, from the server or from another process by way of the store.
    case tokens(SessionTokens)
    /// The server ended the session, and the store is cleared.
    case ended(NetworkError)
    /// There is no session, or a logout ended it during the refresh.
    case loggedOut
    /// The session stays.
    case failed(NetworkError)

    var answer: RefreshFlight.Answer {
        switch self {
        case .tokens(let tokens): .success(tokens)
        case .ended(let error): .failure(NetworkError(.unauthorized(error.endOfSession), request: error.request))
        case .loggedOut: .failure(.notLoggedIn)
        case .failed(let error): .failure(error)
        }
    }
}

extension RefreshingTokenProvider {
    /// Renews under the lock of the store.
    ///
    /// - Parameter rejected: `nil` where there was no token.
    nonisolated func renewal(rejecting rejected: Secret?, generation: Int) async -> Renewal {
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

    private nonisolated func renewalInside(rejecting rejected: Secret?, generation: Int) async throws -> Renewal {
        let stored = try await store.read()
        if let stored {
            clock.assume(stored.clockOffset)
            // Another process was faster.
            if stored.access != rejected, stored.isUsable(at: clock.now) { return .tokens(stored) }
            guard !store.isReadOnly else {
                throw TokenStoreError(
                    "The server refused the token of the \(store.place), or it has expired; put a new one there.")
            }
        }
        if let issue = refresher.issue {
            try await store.reserve()
            return try await keep(try await issue(), replacing: stored, generation: generation)
        }
        guard let stored else { return .loggedOut }
        guard let refresh = stored.refresh else {
            return try await end(stored, because: NetworkError(.unauthorized(Self.cannotBeRenewed)))
        }
        // The server rotates the refresh token: a response that cannot be stored would end the session.
        try await store.reserve()
        do {
            return try await keep(
                try await refresher.refresh(refresh), replacing: stored, generation: generation)
        } catch let error as NetworkError where error.endsSession {
            return try await end(stored, because: error)
        }
    }

    /// Stores renewed tokens, unless a login or logout came in between. A cancelled caller does not stop this: the server has
    /// rotated the refresh token, and losing its response would end the session.
    ///
    /// - Parameter old: `nil` for the first tokens of a session without a login.
    private nonisolated func keep(
        _ renewed: SessionTokens, replacing old: SessionTokens?, generation: Int
    ) async throws -> Renewal {
        var renewed = await stamped(renewed)
        guard await isCurrent(generation) else { return .loggedOut }
        if let old {
            guard let stored = try await store.read() else { return .loggedOut }
            guard stored.isSameSession(as: old) else { return .tokens(stored) }
            renewed.account = stored.account
        }
        try await store.write(renewed)
        logger.debug("the tokens were refreshed", metadata: ["place": "\(store.place)"])
        return .tokens(renewed)
    }

    private nonisolated func end(_ old: SessionTokens, because error: NetworkError) async throws -> Renewal {
        guard let stored = try await store.read() else { return .loggedOut }
        guard stored.isSameSession(as: old) else { return .tokens(stored) }
        try await store.clear()
        return .ended(error)
    }

    private static var cannotBeRenewed: Problem {
        Problem(
            title: "Session ended", status: 401,
            detail: "the token has expired or was refused, and the session has no refresh token; log in again")
    }
}
