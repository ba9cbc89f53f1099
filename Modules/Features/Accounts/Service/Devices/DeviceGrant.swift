import FoundationEssentials
import StrataService

/// The login of a device that was asked for (RFC 8628): the stored state of a pair of codes.
struct DeviceGrant: Sendable, Hashable {
    /// The digest of the device code.
    var id: String
    /// What the session will be listed as; the device chose it.
    var device: String
    /// The address of the device.
    var address: String
    var createdAt: Date
    var expiresAt: Date
    /// Seconds between two polls.
    var interval: Int
    var polledAt: Date?
    var decision: Decision?
    /// The session that was started for the device.
    var sessionId: String?

    /// What a user decided on the page.
    struct Decision: Sendable, Hashable {
        var userId: String
        var isAllowed: Bool
        /// When the account was changed last before its password was verified; `nil` from an older version of the service.
        var userUpdatedAt: Date?
    }

    static let lifetime: TimeInterval = 600
    /// A later expiry is of a clock that was set back.
    static func latestExpiry(at now: Date) -> Date { now.addingTimeInterval(lifetime + ClockTolerance.seconds) }

    /// What the grants of its client are counted by.
    var network: String { ClientNetwork.key(address) }
    static let firstInterval = 5

    /// What a poll of the device leads to.
    enum Poll: Sendable, Hashable {
        case pending
        /// The next poll must come later (section 3.5).
        case slowDown
        case denied
        case expired
        case start(Decision)
        /// The tokens were sent before, and the device asks again: the response was lost, or the code was stolen.
        case repeated(sessionId: String)
    }

    /// A poll may be up to a second early, because requests do not all take equally long.
    func poll(at now: Date) -> Poll {
        guard now < expiresAt, expiresAt <= Self.latestExpiry(at: now) else { return .expired }
        if let sessionId { return .repeated(sessionId: sessionId) }
        if let decision { return decision.isAllowed ? .start(decision) : .denied }
        if let polledAt, now.timeIntervalSince(polledAt) < TimeInterval(interval - 1) { return .slowDown }
        return .pending
    }
}

/// The code that a user types: 8 consonants, so that it is no word and has no character that looks like another one
/// (RFC 8628, section 6.1). 20^8 codes, of which a guess every second hits one of 100 in eight years.
enum UserCode {
    private static let letters = Array("BCDFGHJKLMNPQRSTVWXZ")

    /// `WDJB-MJHT`.
    static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        let code = (0..<8).compactMap { _ in letters.randomElement(using: &generator) }
        return String(code[..<4]) + "-" + String(code[4...])
    }

    /// The code as it is stored: its digest. Lower case, spaces and hyphens make no difference.
    ///
    /// - Returns: `nil` for a text that is no code.
    static func digest(_ typed: String) -> String? {
        guard typed.utf8.count <= 64 else { return nil }
        let code = typed.uppercased().filter { $0 != "-" && $0 != " " }
        return code.count == 8 && code.allSatisfy(letters.contains) ? OpaqueToken.digest("user code \(code)") : nil
    }
}
