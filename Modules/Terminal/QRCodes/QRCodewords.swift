/// A size of QR code, with its numbers for error correction level L (ISO/IEC 18004, table 9).
struct QRVersion: Sendable {
    /// 1 to 6.
    let number: Int
    let dataCodewords: Int
    let blocks: Int
    /// Error correction codewords of a block.
    let correction: Int

    static let all = [
        QRVersion(number: 1, dataCodewords: 19, blocks: 1, correction: 7),
        QRVersion(number: 2, dataCodewords: 34, blocks: 1, correction: 10),
        QRVersion(number: 3, dataCodewords: 55, blocks: 1, correction: 15),
        QRVersion(number: 4, dataCodewords: 80, blocks: 1, correction: 20),
        QRVersion(number: 5, dataCodewords: 108, blocks: 1, correction: 26),
        QRVersion(number: 6, dataCodewords: 136, blocks: 2, correction: 18),
    ]

    /// Modules of a side.
    var size: Int { 17 + 4 * number }
    /// The mode takes four bits, and the length eight.
    var longestText: Int { dataCodewords - 2 }
}

/// The bytes of a code: the text, its padding and its error correction.
enum QRCodewords {
    /// Data of all blocks, then error correction of all blocks, a byte of each in turn (section 7.6).
    static func interleaved(_ text: [UInt8], _ version: QRVersion) -> [UInt8] {
        let data = data(text, version)
        let length = version.dataCodewords / version.blocks
        let blocks = (0..<version.blocks).map { Array(data[($0 * length)..<(($0 + 1) * length)]) }
        let corrections = blocks.map { correction(of: $0, count: version.correction) }
        return (0..<length).flatMap { index in blocks.map { $0[index] } }
            + (0..<version.correction).flatMap { index in corrections.map { $0[index] } }
    }

    /// Mode 4 (bytes), the length, the text, a terminator of four bits, and padding.
    private static func data(_ text: [UInt8], _ version: QRVersion) -> [UInt8] {
        var bytes: [UInt8] = []
        var half: UInt8 = 0x40
        for byte in [UInt8(text.count)] + text {
            bytes.append(half | byte >> 4)
            half = byte << 4
        }
        bytes.append(half)
        for index in 0..<(version.dataCodewords - bytes.count) { bytes.append(index % 2 == 0 ? 0xEC : 0x11) }
        return bytes
    }

    /// The remainder of the data divided by the generator polynomial (section 7.5.2).
    private static func correction(of data: [UInt8], count: Int) -> [UInt8] {
        var generator: [UInt8] = [1]
        var root: UInt8 = 1
        for _ in 0..<count {
            var next = generator + [0]
            for (index, factor) in generator.enumerated() { next[index + 1] ^= product(factor, root) }
            generator = next
            root = product(root, 2)
        }
        var rest = data + [UInt8](repeating: 0, count: count)
        for index in data.indices {
            let factor = rest[index]
            for (offset, coefficient) in generator.enumerated() { rest[index + offset] ^= product(coefficient, factor) }
        }
        return Array(rest.suffix(count))
    }

    /// The product in GF(256) with the polynomial 0x11D.
    private static func product(_ left: UInt8, _ right: UInt8) -> UInt8 {
        var (sum, factor, bits) = (UInt8(0), left, right)
        while bits != 0 {
            if bits & 1 == 1 { sum ^= factor }
            factor = factor << 1 ^ (factor & 0x80 == 0 ? 0 : 0x1D)
            bits >>= 1
        }
        return sum
    }
}
