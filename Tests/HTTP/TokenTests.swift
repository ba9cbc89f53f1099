import StrataHTTP
import Testing

@Suite("Token") struct TokenTests {
    @Test func `a token has letters, digits and fifteen other characters`() {
        let bytes = (UInt8.min...UInt8.max).filter(\.isTokenByte)

        #expect(bytes.count == 26 + 26 + 10 + 15)
        #expect("!#$%&'*+-.^_`|~".utf8.allSatisfy { bytes.contains($0) })
    }

    @Test(arguments: [" ", "\t", "\"", "(", ",", "/", ":", ";", "=", "@", "[", "{", "\u{7f}", "\u{0}", "ä"])
    func `a token has no separator and no control character`(text: String) {
        #expect(!text.utf8.contains { $0.isTokenByte })
    }
}
