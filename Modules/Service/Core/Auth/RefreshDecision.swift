import FoundationEssentials

/// What the use of a refresh token leads to. A pure decision over what the store knows about the token.
///
/// Each use trades a token for its successor. An answer can be lost on the way, and the client then has only the old
/// token; so that one works again, for a short time and only while its successor was never used (FAPI 2.0, section
/// 5.3.2.1). Any other second use means that two parties hold the same token (RFC 9700, section 4.14.2).
///
/// "Used" means: traded at the token endpoint. Calls made with the access token that came along do not count.
enum RefreshDecision: Sendable, Hashable {
    /// The first use: mark it used and issue its successor.
    case rotate
    /// The answer was lost: issue another successor in place of the unused one.
    case reissue
    case refuse(String)
    /// A replay: end the session.
    case endSession

    /// A token as the store knows it.
    struct Known: Sendable, Hashable {
        var expiresAt: Date
        /// When it was first traded.
        var usedAt: Date?
        /// Whether another token was issued in its place before it was used.
        var isSuperseded = false
        /// Whether the token that was issued for it last was never traded.
        var isSuccessorUnused = false
        /// Why its session ended, if it did.
        var endReason: Sessions.EndReason?
    }

    /// - Parameter grace: How long after its first use a token may be used again, in seconds.
    static func decide(_ token: Known, at now: Date, grace: TimeInterval) -> RefreshDecision {
        if let reason = token.endReason { return .refuse(reason.sentence) }
        if token.isSuperseded { return .endSession }
        guard let usedAt = token.usedAt else {
            return now < token.expiresAt ? .rotate : .refuse(expired)
        }
        guard token.isSuccessorUnused, now.timeIntervalSince(usedAt) <= grace else { return .endSession }
        return now < token.expiresAt ? .reissue : .refuse(expired)
    }

    private static let expired = "The refresh token has expired; log in again."
}
