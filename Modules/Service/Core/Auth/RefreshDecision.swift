import FoundationEssentials

/// What the use of a refresh token leads to: a pure decision over the stored state of the token.
///
/// Each use exchanges a token for its successor. If the response is lost, the client has only the old token. That token
/// therefore works again for a short time while its successor is unused (FAPI 2.0, section 5.3.2.1). Any other second use
/// means that two parties hold the token (RFC 9700, section 4.14.2).
///
/// "Used" means exchanged at the token endpoint. Requests with the access token do not count.
enum RefreshDecision: Sendable, Hashable {
    /// First use: mark the token as used and issue its successor.
    case rotate
    /// The response was lost: replace the unused successor.
    case reissue
    case refuse(String)
    /// A replay: end the session.
    case endSession

    /// The stored state of a token.
    struct Token: Sendable, Hashable {
        var expiresAt: Date
        /// When it was first exchanged.
        var usedAt: Date?
        /// Whether it was replaced before it was used.
        var isSuperseded = false
        /// Whether its last successor was never exchanged.
        var isSuccessorUnused = false
        /// Why its session ended; `nil` while it is active.
        var endReason: Sessions.EndReason?
    }

    /// - Parameter grace: How long after its first use a token may be used again, in seconds.
    static func decide(_ token: Token, at now: Date, grace: TimeInterval) -> RefreshDecision {
        if let reason = token.endReason { return .refuse(reason.sentence) }
        if token.isSuperseded { return .endSession }
        guard let usedAt = token.usedAt else {
            return now < token.expiresAt ? .rotate : .refuse(expired)
        }
        // In either direction: the clock may have been set back.
        guard token.isSuccessorUnused, abs(now.timeIntervalSince(usedAt)) <= grace else { return .endSession }
        return now < token.expiresAt ? .reissue : .refuse(expired)
    }

    private static let expired = "The refresh token has expired; log in again."
}
