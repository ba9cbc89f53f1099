import StrataSystem
import StrataTesting
import Testing

@Suite struct IPAddressTests {
    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"),
        ("::", "::"), ("::1", "::1"), ("1::", "1::"), ("2001:DB8::A", "2001:db8::a"),
        ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"), ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"),
        ("1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"), ("0:0:0:0:0:0:0:0", "::"), ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
        ("::ffff:192.0.2.1", "192.0.2.1"), ("::FFFF:c000:201", "192.0.2.1"), ("::192.0.2.1", "::c000:201"),
        ("64:ff9b::192.0.2.33", "64:ff9b::c000:221"), ("1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"),
    ])
    func `an address has one canonical text`(text: String, canonical: String) {
        #expect(IPAddress(text)?.description == canonical)
    }

    @Test(arguments: [
        "", " ", "1", "1.2.3", "1.2.3.4.5", "1.2.3.256", "1.2.3.-4", "1.2.3.+4", "01.2.3.4", "1.2.3.4 ", " 1.2.3.4",
        "1.2.3.4/8",
        "1.2.3.4:80", "0x7f.0.0.1", "1..2.3", "localhost", ":", ":::", "1:2:3", "1:2:3:4:5:6:7:8:9", "1::2::3",
        "12345::",
        "::g", "::+1", "::1.2.3", "::1.2.3.256", "1.2.3.4::", "::1.2.3.4:5", "[::1]", "::1%eth0", "1:2:3:4:5:6:7:8::",
        "::1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:1.2.3.4", "１.2.3.4",
    ])
    func `other text is not an address`(text: String) { #expect(IPAddress(text) == nil) }

    @Test func `every address reads back from its text`() {
        var random = SeededRandom(seed: 5)
        for _ in 0..<20_000 {
            let count = Bool.random(using: &random) ? 4 : 16
            // Zeros are frequent, so that gaps of all lengths come up.
            let bytes = (0..<count).map { _ in
                UInt8.random(in: 0...2, using: &random) == 0 ? UInt8.random(in: .min ... .max, using: &random) : 0
            }
            let address = IPAddress(bytes: bytes)
            let read = IPAddress(address.description)
            #expect(read?.description == address.description)
        }
    }
}
