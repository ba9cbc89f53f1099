import FoundationEssentials
import StrataTesting
import Testing

@testable import StrataHTTP

@Suite struct Base64URLTests {
    @Test(arguments: [("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")])
    func `the vectors of RFC 4648 come out without padding`(plain: String, encoded: String) {
        #expect(Base64URL.encode(plain.utf8) == encoded)
        #expect(Base64URL.decode(encoded) == Data(plain.utf8))
    }

    @Test(arguments: ["Zg==", "Zg=", "Zh", "Zm9", "Z", "Zm9vY", "+/+/", "Zm 9v", "Zm9v\n", "Zm9v.", "é", "Zm9\u{0}"])
    func `another spelling of the same bytes, or of none, is refused`(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test func `a thousand random values come back, and by one spelling only`() throws {
        var random = SeededRandom(seed: 7)
        for length in 0..<1000 {
            let bytes = Data((0..<length % 50).map { _ in UInt8.random(in: 0...255, using: &random) })
            let text = Base64URL.encode(bytes)
            #expect(Base64URL.decode(text) == bytes)
            guard let last = text.utf8.last else { continue }
            let spellings = (0...127 as ClosedRange<UInt8>).filter { other in
                Base64URL.decode(String(decoding: text.utf8.dropLast() + [other], as: UTF8.self)) == bytes
            }
            #expect(spellings == [last])
        }
    }
}
