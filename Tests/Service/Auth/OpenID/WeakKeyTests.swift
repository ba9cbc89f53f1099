import Crypto
import CryptoExtras
import FoundationEssentials
import StrataHTTP
import Testing

@testable import StrataService

@Suite struct WeakKeyTests {
    private static let fixture = Result { try ProviderFixture() }

    @Test func `a modulus of the broken generator is told from a good one`() throws {
        // A power of 65537 modulo each prime, since it is one.
        var power: [UInt8] = [1]
        for _ in 0..<128 {
            var next = power + [0, 0]
            var carry = 0
            for (place, byte) in ([0, 0] + power).enumerated().reversed() {
                carry += Int(next[place]) + Int(byte)
                next[place] = UInt8(carry & 0xFF)
                carry >>= 8
            }
            power = (carry > 0 ? [UInt8(carry)] : []) + next
        }
        #expect(WeakKey.isFromROCA(Data(power)))
        power[power.count - 1] += 2
        #expect(!WeakKey.isFromROCA(Data(power)))
        let good = try Self.fixture.get().rsa.publicKey.getKeyPrimitives().modulus
        #expect(!WeakKey.isFromROCA(good) && !WeakKey.isFromROCA([0] + good))
    }

    @Test(
        arguments: [
            "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIA", "JuiVj8KyJ7BFw_SJ8u-Y8NXfrAXTxjM5sTgCiG1T_AU",
            "JuiVj8KyJ7BFw_SJ8u-Y8NXfrAXTxjM5sTgCiG1T_IU", "xxdqcD1N2E-6PAt2DRBnDyogU_osOczGTsf9d5KsA3o",
            "7P_______________________________________38", "7f_______________________________________38",
            "7v_______________________________________38", "7v________________________________________8",
        ])
    func `a point of small order is told from a good one`(point: String) throws {
        #expect(WeakKey.hasSmallOrder(try #require(Base64URL.decode(point))))
        #expect(!WeakKey.hasSmallOrder(try Self.fixture.get().edwards.publicKey.rawRepresentation))
    }
}
