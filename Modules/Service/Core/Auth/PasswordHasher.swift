import FoundationEssentials
public import StrataDomain

/// Hashes passwords with scrypt (RFC 7914) on threads of its own: a hash takes a tenth of a second and 32 MiB.
public struct PasswordHasher: Sendable {
    /// Longest password, in UTF-8 bytes; nothing shorter is ever cut.
    public static let longestPassword = 1024

    /// What checking a password found.
    public enum Verdict: Sendable, Hashable {
        case matches
        /// It matches, and the stored hash is of another cost than new ones; store a new one.
        case matchesOutdated
        case differs
    }

    private let cost: ScryptCost
    private let pool: BlockingPool

    /// - Parameters:
    ///   - cost: Cost of new hashes; hashes of another cost can still be checked.
    ///   - pool: Bounds how many hashes run at once, and with them their memory.
    public init(cost: ScryptCost = .recommended, pool: BlockingPool) {
        self.cost = cost
        self.pool = pool
    }

    /// `scrypt$N$r$p$salt$key`, with a new random salt of 16 bytes.
    ///
    /// - Parameter client: The address that asks; addresses take turns. Default: none.
    /// - Throws: 422 for a password that is empty, longer than 1,024 bytes or holds NUL; `BlockingPool.Busy`.
    public func hash(_ password: Secret, for client: String = "") async throws -> String {
        let text = password.reveal()
        guard Self.isHashable(text) else {
            throw ServiceError.validation([
                FieldError(field: "password", message: "must have 1 to \(Self.longestPassword) bytes, none of them NUL")
            ])
        }
        return try await pool.run(for: PeerNetwork.key(client)) { [cost] in
            try ScryptHash(password: text, cost: cost).text
        }
    }

    /// Whether `password` is the one behind `stored`.
    ///
    /// Without a stored hash, for a name nobody has, the same work is done, so that time does not tell names apart.
    ///
    /// - Parameter client: The address that asks; addresses take turns. Default: none.
    /// - Throws: `StoreError` when `stored` is no hash of ours; `BlockingPool.Busy`.
    public func verify(_ password: Secret, against stored: String?, for client: String = "") async throws -> Verdict {
        let text = password.reveal()
        let expected = stored.map(ScryptHash.init) ?? ScryptHash(matchingNothing: cost)
        guard let expected else { throw StoreError.failed("a stored password hash cannot be read") }
        // What was never hashed matches nothing, and must take as long to say so.
        let isPossible = stored != nil && Self.isHashable(text)
        let matches =
            try await pool.run(for: PeerNetwork.key(client)) { try expected.matches(isPossible ? text : "?") }
            && isPossible
        guard matches else { return .differs }
        return expected.cost == cost ? .matches : .matchesOutdated
    }

    /// HMAC, inside scrypt, pads short keys with NUL, so `secret` and `secret\0` would be one password.
    private static func isHashable(_ text: String) -> Bool {
        (1...longestPassword).contains(text.utf8.count) && !text.utf8.contains(0)
    }
}
