import FoundationEssentials
public import StrataDomain

/// Hashes passwords with scrypt (RFC 7914) on its own threads. At the recommended cost a hash takes a tenth of a second and 32 MiB.
public struct PasswordHasher: Sendable {
    /// Longest password in UTF-8 bytes. Passwords are never truncated.
    package static let longestPassword = 1024

    /// The result of checking a password.
    public enum Verdict: Sendable, Hashable {
        /// The password is right.
        case matches
        /// It matches, and the stored hash has another cost than new ones; store a new hash.
        case matchesOutdated
        /// The password is wrong.
        case differs
    }

    private let cost: ScryptCost
    private let pool: BlockingPool

    /// - Parameters:
    ///   - cost: Cost of new hashes. Hashes of another cost can be checked.
    ///   - pool: Bounds the hashes that run at once, and their memory.
    public init(cost: ScryptCost = .recommended, pool: BlockingPool) {
        self.cost = cost
        self.pool = pool
    }

    /// `scrypt$N$r$p$salt$key`, with a new random salt of 16 bytes.
    ///
    /// - Parameter client: Address of the client; clients take turns. Default: none.
    /// - Throws: 422 for a password that is empty, longer than 1,024 bytes or holds NUL; `BlockingPool.Busy`.
    public func hash(_ password: Secret, for client: String = "") async throws -> String {
        let text = password.reveal()
        guard Self.isHashable(text) else {
            throw ServiceError.validation([
                FieldError(field: "password", message: "must have 1 to \(Self.longestPassword) bytes, none of them NUL")
            ])
        }
        return try await pool.run(for: ClientNetwork.key(client)) { [cost] in
            try ScryptHash(password: text, cost: cost).text
        }
    }

    /// Whether `password` has the hash `stored`.
    ///
    /// Without a stored hash, for an unknown name, it does the same work, so that timing does not reveal which names exist.
    ///
    /// - Parameter client: Address of the client; clients take turns. Default: none.
    /// - Throws: `StoreError` when `stored` is not a hash of this format; `BlockingPool.Busy`.
    public func verify(_ password: Secret, against stored: String?, for client: String = "") async throws -> Verdict {
        let text = password.reveal()
        let expected = stored.map(ScryptHash.init) ?? ScryptHash(matchingNothing: cost)
        guard let expected else { throw StoreError.failed("a stored password hash cannot be read") }
        // A password that is never hashed matches nothing, and the check takes as long.
        let isPossible = stored != nil && Self.isHashable(text)
        let matches =
            try await pool.run(for: ClientNetwork.key(client)) { try expected.matches(isPossible ? text : "?") }
            && isPossible
        guard matches else { return .differs }
        return expected.cost == cost ? .matches : .matchesOutdated
    }

    /// NUL is refused because HMAC inside scrypt pads keys with NUL: `secret` and `secret\0` would be one password.
    private static func isHashable(_ text: String) -> Bool {
        (1...longestPassword).contains(text.utf8.count) && !text.utf8.contains(0)
    }
}
