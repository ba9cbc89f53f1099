import Testing

@testable import StrataTerminal

@Suite struct QRCodeTests {
    /// A code of another encoder, the Python package qrcode: byte mode, level L.
    struct Sample: Sendable {
        var text: String
        var mask: Int
        /// Row by row, four modules a digit.
        var modules: String
    }

    /// One for each version.
    static let samples = [
        Sample(
            text: "slack water 17:05", mask: 2,
            modules: "fe53fc16506e90bb7545dba12ec14507faafe00a00fbdd52ad8e6ee30dbb39f362e0005a5ffaa1d049aebacb05"
                + "d52daeab5105c9cfe8f90"),
        Sample(
            text: "https://tides.example.org/device", mask: 7,
            modules: "fe773fc179906ea0abb74765dba95aec147907faaafe01b300d35f3b3264706aeb266a8df903facf5aa943b6ba"
                + "caea995d92e25bfe0059c67fa96b704131eba7efddd744fee9a06b05e988fec5f18"),
        Sample(
            text: "https://shiftlog.example.com/device?user_code=wdjb-mj", mask: 4,
            modules: "fedde3fc1564d06eb090bb752c55dba5522ec1554907faaaafe0086d00ce786979e2bf3fc3accae27af58cb660"
                + "85c1784ad1fe8c7401bb093cf3c6254414208f1ec8efea4a39b4d33caf0dfc805ffc47f875ebb0576f11bac87f"
                + "d5d19fa0ee85ef1f05b6d5bfec85e90"),
        Sample(
            text: "https://shiftlog.example.com/device?user_code=wdjb-mjht&", mask: 1,
            modules: "fef7623fc14895506e91190bb7433ea5dba99e22ec17757507faaaaafe01886600e6ddb9f9a4047cd8d19bb568"
                + "3837773f0d76680f1f4d31499c4a467472488b6570ffdd91b4b8748ddbeac3f46e2ea7511a0b26718a49853eef"
                + "bf99c6df4243882428d37c91f90064ccc47f9becaa305361718ba66b1fd5d03eca5eeb45513f05c97528febc82"
                + "b48"),
        Sample(
            text: "https://shiftlog.example.com/device?user_code=WDJB-MJHT&xxxxxxxxxxxxxxxxxxxxxxxx"
                + "xxxxxxxxxxxxxxxxxxxxxxxxxx", mask: 5,
            modules: "fe0002a3fc104114106e9249eabb75aaa185dbab6d80aec104116507faaaaaafe001047500c756dff0c12daab1"
                + "acaed2482c5a6210405622e2005bb5bcdbee3cb91c2491eaf4815562e5c276de66ea00bed183abffff5403b390"
                + "405e973f6d966baa0aa9cadb2d24896ef1290407790fa0018b4e24bef8c9a8ea492f1722d55436d8bd6daffe00"
                + "4bef9453fbfffcaab055042318ba36dbbfe5d3aaaa332e92491a5f0510435c9fe80019a88"),
        Sample(
            text: "https://shiftlog.example.com/device?user_code=WDJB-MJHT&yyyyyyyyyyyyyyyyyyyyyyyy"
                + "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy", mask: 3,
            modules: "fe86e945bfc13d64d6106eb9ae58ebb758d94d95dba95b2db2ec11a2c50d07faaaaaaafe00b0960900f2fb25be"
                + "4e8e5b75a7fe5dd2b06b2ccc98d51e5d3230eca6d97b2daf94fb0eaf317b8646899649200a062d92d3dd684dae"
                + "ca0a8bb04b06bc03a63c52eae4e1a6da7fa5c6b6d96dd7ba6b9e391d480d60d611dbd61b651792768e2db1f4e3"
                + "26b266e31971c53204a6ca7db4cb01db4f96b2080621ea7051e0d6493d777b253efb805bfca3457f8e926b6a50"
                + "40d72c51bba36ca7cfbdd46db6d6c2ea31730a0105964d67eafead7e53cd0"),
    ]

    private static func digits(_ code: QRCode) -> String {
        let bits = code.modules.flatMap { $0 }
        return stride(from: 0, to: bits.count, by: 4).map { start in
            let value = (0..<4).reduce(0) { $0 * 2 + (start + $1 < bits.count && bits[start + $1] ? 1 : 0) }
            return String(value, radix: 16)
        }.joined()
    }

    @Test(arguments: samples) func `a code with a given mask is that of another encoder`(sample: Sample) throws {
        let code = try #require(QRCode(sample.text, mask: sample.mask))
        #expect(Self.digits(code) == sample.modules)
    }

    @Test(arguments: zip(samples, [3, 3, 7, 2, 0, 0]))
    func `the code has the mask with the lowest penalty`(sample: Sample, mask: Int) throws {
        let code = try #require(QRCode(sample.text))
        #expect(code == QRCode(sample.text, mask: mask))
    }

    @Test func `a text of up to 134 bytes has a code, and a longer one has none`() throws {
        #expect(QRCode(String(repeating: "é", count: 67))?.modules.count == 41)
        #expect(QRCode(String(repeating: "x", count: 135)) == nil)
        #expect(QRCode("")?.modules.count == 21)
    }

    @Test func `the lines have a quiet zone of four light modules, and two rows of modules each`() throws {
        let lines = try #require(QRCode("slack water 17:05")).lines
        #expect(lines.count == 15)
        #expect(lines.allSatisfy { $0.count == 29 && $0.hasPrefix("████") && $0.hasSuffix("████") })
        #expect(lines[0] == String(repeating: "█", count: 29))
        #expect(lines[2].dropFirst(4).hasPrefix(" ▄▄▄▄▄ ") || lines[2].dropFirst(4).hasPrefix(" ▀▀▀▀▀ "))
    }
}
