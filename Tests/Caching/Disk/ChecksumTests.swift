import Foundation
import Testing

@testable import StrataCaching

struct ChecksumTests {
    /// Known answers of XXH64: the empty text is in the specification, the others are from the reference program.
    @Test(
        arguments: [
            ("", 0, 0xEF46_DB37_51D8_E999), ("a", 0, 0xD24E_C4F1_A98C_6E5B), ("abc", 0, 0x44BC_2CF5_AD77_0999),
            ("Nobody inspects the spammish repetition", 0, 0xFBCE_A83C_8A37_8BF1),
        ] as [(String, UInt64, UInt64)])
    func `the checksum of a short text is XXH64`(text: String, seed: UInt64, sum: UInt64) {
        #expect(Checksum.of(Data(text.utf8), seed: seed) == sum)
    }

    @Test(arguments: [100, 256, 1000])
    func `each flipped bit, each length and each seed gives another sum`(count: Int) {
        let bytes = Data((0..<count).map { UInt8(truncatingIfNeeded: $0) })
        var sums: Set<UInt64> = [Checksum.of(bytes)]
        for place in bytes.indices {
            for bit in 0..<8 {
                var flipped = bytes
                flipped[place] ^= 1 << bit
                sums.insert(Checksum.of(flipped))
            }
        }
        for length in 0..<count { sums.insert(Checksum.of(bytes.prefix(length))) }
        for seed in 1...100 { sums.insert(Checksum.of(bytes, seed: UInt64(seed))) }
        #expect(sums.count == 1 + 8 * count + count + 100)
    }
}
