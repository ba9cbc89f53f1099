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
    func `the published vectors come out`(text: String, hex: String) throws {
        let hasher = hash([Data(text.utf8)])
        #expect(hasher.count == Int64(text.utf8.count))
        #expect(try #require(hasher.digest).bytes.hex == hex)
        #expect(hasher.digest?.algorithm == .sha256)
    }

    @Test func `a million letters come out as published, in pieces`() throws {
        let hasher = hash(repeatElement(Data(repeating: UInt8(ascii: "a"), count: 1000), count: 1000))
        #expect(hasher.count == 1_000_000)
        #expect(
            try #require(hasher.digest).bytes.hex == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `how content is cut makes no difference, empty pieces included`(seed: UInt64) {
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

    @Test func `a digest may be asked for at any time, and a copy goes its own way`() {
        var hasher = hash([Data("ab".utf8)])
        #expect(hasher.digest == hash([Data("ab".utf8)]).digest)
        let early = hasher
        hasher.update(Data("c".utf8))
        #expect(hasher.digest == hash([Data("abc".utf8)]).digest)
        #expect(hasher.digest == hasher.digest)
        #expect(early.digest == hash([Data("ab".utf8)]).digest)
        #expect(early.count == 2)
    }

    @Test func `one bit makes another digest`() {
        var content = Data(count: 100)
        let before = hash([content]).digest
        content[99] = 1
        #expect(hash([content]).digest != before)
        #expect(hash([content.dropLast()]).digest != before)
    }
}
