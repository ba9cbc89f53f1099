import Crypto
import CryptoExtras
import FoundationEssentials
import StrataHTTP

/// Cost of a password hash. One hash takes `128 × rounds × blockSize` bytes of memory.
public struct ScryptCost: Sendable, Hashable {
    /// N, a power of two.
    public let rounds: Int
    /// r.
    public let blockSize: Int
    /// p: sequential passes in the same memory.
    public let parallelism: Int

    /// 32 MiB and three passes. OWASP's Password Storage Cheat Sheet rates it equal to its first choice (N=2^17, r=8, p=1), and
    /// it takes a quarter of the memory.
    public static let recommended = ScryptCost(unchecked: 1 << 15, 8, 3)

    /// - Returns: `nil` for values that RFC 7914 does not allow, or that take more than 256 MiB or 16 passes.
    public init?(rounds: Int, blockSize: Int, parallelism: Int) {
        guard (2...1 << 20).contains(rounds), rounds & (rounds - 1) == 0, (1...16).contains(blockSize),
            (1...16).contains(parallelism), 128 * rounds * blockSize <= 1 << 28
        else { return nil }
        self.init(unchecked: rounds, blockSize, parallelism)
    }

    private init(unchecked rounds: Int, _ blockSize: Int, _ parallelism: Int) {
        self.rounds = rounds
        self.blockSize = blockSize
        self.parallelism = parallelism
    }
}

/// A password hash with its parameters: `scrypt$N$r$p$salt$key`.
struct ScryptHash: Sendable, Hashable {
    static let saltBytes = 16
    static let keyBytes = 32

    let cost: ScryptCost
    let salt: Data
    let key: Data

    /// Blocks for the time of a hash; never call it on the cooperative pool.
    init(password: String, cost: ScryptCost) throws {
        var generator = SystemRandomNumberGenerator()
        let salt = Data((0..<Self.saltBytes).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
        self.init(cost: cost, salt: salt, key: try Self.derive(password, cost, salt))
    }

    /// A hash that matches no password and takes as long to check as a real one.
    init(matchingNothing cost: ScryptCost) {
        self.init(cost: cost, salt: Data(count: Self.saltBytes), key: Data(count: Self.keyBytes))
    }

    private init(cost: ScryptCost, salt: Data, key: Data) {
        self.cost = cost
        self.salt = salt
        self.key = key
    }

    /// Parses the format of `text`; `nil` for anything else.
    init?(_ text: String) {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0] == "scrypt", let rounds = Int(parts[1]), let blockSize = Int(parts[2]),
            let parallelism = Int(parts[3]),
            let cost = ScryptCost(rounds: rounds, blockSize: blockSize, parallelism: parallelism),
            let salt = Base64URL.decode(parts[4]), salt.count == Self.saltBytes,
            let key = Base64URL.decode(parts[5]), key.count == Self.keyBytes
        else { return nil }
        self.init(cost: cost, salt: salt, key: key)
    }

    var text: String {
        "scrypt$\(cost.rounds)$\(cost.blockSize)$\(cost.parallelism)$\(Base64URL.encode(salt))$\(Base64URL.encode(key))"
    }

    /// Blocks for the time of a hash. The keys are compared in constant time.
    func matches(_ password: String) throws -> Bool {
        let derived = try Self.derive(password, cost, salt)
        return zip(derived, key).reduce(UInt8(derived.count == key.count ? 0 : 1)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private static func derive(_ password: String, _ cost: ScryptCost, _ salt: Data) throws -> Data {
        // The library traps on empty `Data`.
        guard !password.isEmpty else { throw StoreError.failed("an empty password cannot be hashed") }
        let key = try KDF.Scrypt.deriveKey(
            from: Data(password.utf8), salt: salt, outputByteCount: keyBytes, rounds: cost.rounds,
            blockSize: cost.blockSize,
            parallelism: cost.parallelism)
        return key.withUnsafeBytes { Data($0) }
    }
}
