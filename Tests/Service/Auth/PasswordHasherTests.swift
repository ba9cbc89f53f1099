import Foundation
import StrataDomain
import Testing

@testable import StrataService

@Suite struct PasswordHasherTests {
    private static let quick = ScryptCost(rounds: 16, blockSize: 8, parallelism: 1) ?? .recommended
    private static let other = ScryptCost(rounds: 32, blockSize: 8, parallelism: 2) ?? .recommended
    private let hasher = PasswordHasher(cost: quick, pool: BlockingPool())

    @Test func `a password matches its hash and no other does`() async throws {
        let hash = try await hasher.hash(Secret("correct horse"))
        #expect(try await hasher.verify(Secret("correct horse"), against: hash) == .matches)
        for wrong in ["correct hors", "correct horse ", "Correct horse", "", "correct horse\0"] {
            #expect(try await hasher.verify(Secret(wrong), against: hash) == .differs)
        }
    }

    @Test func `the hash names its cost and has a salt of its own`() async throws {
        let first = try await hasher.hash(Secret("correct horse"))
        let second = try await hasher.hash(Secret("correct horse"))
        #expect(first.hasPrefix("scrypt$16$8$1$"))
        #expect(first != second)
        #expect(ScryptHash(first)?.salt.count == 16)
        #expect(ScryptHash(first)?.text == first)
    }

    // Computed with Python's hashlib.scrypt.
    @Test func `a hash is plain scrypt, so that other tools can check it`() throws {
        let text = "scrypt$16$8$1$AAAAAAAAAAAAAAAAAAAAAA$-mbjsoTbclfHqqn5NJL_aeKPyf3U-_kX2JlYIHNlvVY"
        let hash = try #require(ScryptHash(text))
        #expect(try hash.matches("pleaseletmein"))
    }

    @Test func `a hash of another cost matches and is reported as outdated`() async throws {
        let old = try await PasswordHasher(cost: Self.other, pool: BlockingPool()).hash(Secret("correct horse"))
        #expect(try await hasher.verify(Secret("correct horse"), against: old) == .matchesOutdated)
        #expect(try await hasher.verify(Secret("wrong"), against: old) == .differs)
    }

    @Test(arguments: ["?", "", "anything"])
    func `no password matches without a stored hash`(password: String) async throws {
        #expect(try await hasher.verify(Secret(password), against: nil) == .differs)
    }

    // A hash of this cost takes some 20 ms of processor time, and everything else in a check a thousandth.
    @Test func `an unknown name costs one hash of the same cost`() async throws {
        let cost = try #require(ScryptCost(rounds: 1 << 13, blockSize: 8, parallelism: 1))
        let hasher = PasswordHasher(cost: cost, pool: BlockingPool())
        let stored = try await hasher.hash(Secret("correct horse"))
        var least: [Bool: clock_t] = [:]
        for _ in 0..<5 {
            for isKnown in [true, false] {
                let start = clock()
                #expect(try await hasher.verify(Secret("wrong"), against: isKnown ? stored : nil) == .differs)
                least[isKnown] = min(clock() - start, least[isKnown] ?? .max)
            }
        }
        // Other threads only add to a time.
        let (known, unknown) = (try #require(least[true]), try #require(least[false]))
        #expect(unknown > known / 4, "\(known) \(unknown)")
    }

    @Test(arguments: [1, 8, 16].flatMap { size in [1, 3, 16].map { (16, size, $0) } } + [(2, 8, 1), (1 << 14, 8, 1)])
    func `each accepted cost can be computed`(rounds: Int, blockSize: Int, parallelism: Int) async throws {
        let cost = try #require(ScryptCost(rounds: rounds, blockSize: blockSize, parallelism: parallelism))
        let hasher = PasswordHasher(cost: cost, pool: BlockingPool())
        let hash = try await hasher.hash(Secret("correct horse"))
        #expect(try await hasher.verify(Secret("correct horse"), against: hash) == .matches)
        #expect(try await hasher.verify(Secret("wrong"), against: hash) == .differs)
    }

    @Test func `a password of 1,024 bytes counts to its last byte, a longer one is refused`() async throws {
        let long = String(repeating: "p", count: 1024)
        let hash = try await hasher.hash(Secret(long))
        #expect(try await hasher.verify(Secret(long), against: hash) == .matches)
        #expect(try await hasher.verify(Secret(String(long.dropLast()) + "q"), against: hash) == .differs)
        #expect(try await hasher.verify(Secret(long + "p"), against: hash) == .differs)
        for refused in [long + "p", "", "nul\0inside"] {
            let error = await #expect(throws: ServiceError.self) { try await hasher.hash(Secret(refused)) }
            #expect(error?.problem.status == 422)
        }
    }

    @Test(arguments: [
        "", "scrypt", "scrypt$16$8$1$", "bcrypt$16$8$1$AAAAAAAAAAAAAAAAAAAAAA$AAAA", "scrypt$15$8$1$x$y",
        "scrypt$9223372036854775807$8$1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "scrypt$1048576$16$1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "scrypt$16$0$1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "scrypt$-16$8$1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    ])
    func `a damaged hash is an error, never a match and never a crash`(stored: String) async {
        await #expect(throws: StoreError.self) { try await hasher.verify(Secret("x"), against: stored) }
    }

    @Test(arguments: [
        (1, 8, 1), (3, 8, 1), (0, 8, 1), (-2, 8, 1), (16, 0, 1), (16, 17, 1), (16, 8, 0), (16, 8, 17),
        (1 << 20, 16, 1), (.max, 8, 1), (.min, .min, .min),
    ])
    func `a cost that scrypt or the memory limit does not allow is nil`(rounds: Int, blockSize: Int, parallelism: Int) {
        #expect(ScryptCost(rounds: rounds, blockSize: blockSize, parallelism: parallelism) == nil)
    }
}
