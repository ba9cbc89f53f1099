import StrataSystem
import Testing

@testable import StrataService

@Suite struct AddressBlockTests {
    @Test(arguments: [
        ("10.0.0.0/8", "10.255.255.255", true), ("10.0.0.0/8", "11.0.0.0", false), ("192.0.2.1", "192.0.2.1", true),
        ("192.0.2.1", "192.0.2.2", false), ("192.0.2.0/31", "192.0.2.1", true), ("192.0.2.0/31", "192.0.2.2", false),
        ("0.0.0.0/0", "203.0.113.9", true), ("0.0.0.0/0", "::1", false), ("::/0", "127.0.0.1", false),
        ("::1", "::1", true), ("2001:db8::/32", "2001:db8:ffff::1", true), ("2001:db8::/32", "2001:db9::", false),
        ("2001:db8::/33", "2001:db8:8000::", false), ("fd00::/8", "fdff::1", true),
        ("10.0.0.0/8", "::ffff:10.1.2.3", true), ("::ffff:10.0.0.0/104", "10.1.2.3", true),
        ("::ffff:192.0.2.1", "192.0.2.1", true), ("172.16.0.0/12", "172.31.255.255", true),
        ("172.16.0.0/12", "172.32.0.0", false),
    ])
    func `a block contains the addresses that share its prefix`(block: String, address: String, isIn: Bool) throws {
        #expect(try AddressBlock(block).contains(try #require(IPAddress(address))) == isIn)
    }

    @Test(arguments: [
        "", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8", "10.0.0.0/ 8", "::/129",
        "x/8",
        "localhost", "10.0.0.0/255.0.0.0", "10", "10.0.0.0-10.0.0.9", "::ffff:10.0.0.0/90", "10.0.0.0/0008",
    ])
    func `text that is no block is refused with its value`(text: String) {
        let error = #expect(throws: AddressBlockError.self) { try AddressBlock(text) }
        #expect(error?.description.contains("'\(text)'") == true)
        #expect(error?.description.contains("10.0.0.0/8") == true)
    }

    @Test(arguments: [("10.0.0.1/8", "10.0.0.0/8"), ("2001:db8::1/32", "2001:db8::/32"), ("192.0.2.1/0", "0.0.0.0/0")])
    func `bits after the prefix are refused with a correction`(text: String, meant: String) {
        let error = #expect(throws: AddressBlockError.self) { try AddressBlock(text) }
        #expect(error?.description.hasSuffix("write \(meant)") == true)
    }
}

@Suite struct TrustedProxiesTests {
    @Test(arguments: [
        ("", "127.0.0.1", false), ("", "", false), ("127.0.0.1", "127.0.0.1", true),
        ("127.0.0.1", "::ffff:127.0.0.1", true),
        ("127.0.0.1", "127.0.0.2", false), ("127.0.0.1, ::1", "::1", true), ("127.0.0.0/8,fd00::/8", "fd12::1", true),
        ("fe80::/10", "fe80::1%eth0", true), ("127.0.0.1", "", false), ("unix", "", true), ("unix", "127.0.0.1", false),
        ("10.0.0.0/8 , unix", "", true), ("10.0.0.0/8", "not an address", false),
    ])
    func `a peer is trusted when the list has its address`(list: String, peer: String, isTrusted: Bool) throws {
        #expect(try TrustedProxies(list).contains(peer: peer) == isTrusted)
    }

    @Test(arguments: [
        ("127.0.0.1,proxy.example", "'proxy.example'"), ("127.0.0.1,,::1", "''"), ("127.0.0.1,", "''"),
        ("127.0.0.1 ::1", "'127.0.0.1 ::1'"), ("10.0.0.1/8", "'10.0.0.1/8'"), ("UNIX", "'UNIX'"),
    ])
    func `a part that is no block is refused with its value`(list: String, value: String) {
        let error = #expect(throws: AddressBlockError.self) { try TrustedProxies(list) }
        #expect(error?.description.contains(value) == true)
    }
}
