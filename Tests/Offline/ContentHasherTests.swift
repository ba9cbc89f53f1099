import FoundationEssentials
import StrataDomain
import StrataOffline
import StrataTesting
import Testing

struct ContentHasherTests {
    private func hash(_ pieces: some Sequence<Data>) -> ContentHasher {
        var hasher = ContentHasher()
        for piece in pieces { hasher.update(piece) }
        return hasher
    }

    /// The vectors of FIPS 180-4, as NIST publishes them.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func `the digest equals the published test vectors`(text: String, hex: String) throws {
        let hasher = hash([Data(text.utf8)])
        #expect(hasher.count == Int64(text.utf8.count))
        #expect(try #require(hasher.digest).bytes.hex == hex)
        #expect(hasher.digest?.algorithm == .sha256)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `the digest does not depend on the pieces of the content`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let content = Data((0..<5000).map { _ in UInt8.random(in: 0...255, using: &random) })
        var pieces: [Data] = []
        var rest = content
        while !rest.isEmpty {
            // Pieces of a larger buffer keep its indices.
            let piece = rest.prefix(Int.random(in: 0...300, using: &random))
            rest = rest.dropFirst(piece.count)
            pieces.append(piece)
        }
        let hasher = hash(pieces)
        #expect(hasher.count == 5000)
        #expect(hasher.digest == hash([content]).digest)
    }
}
