import FoundationEssentials
import StrataHTTP

/// Public keys of the right form with which others than their owner can sign.
enum WeakKey {
    /// Whether a broken generator made an RSA modulus (CVE-2017-15361, ROCA): it is a power of 65537 modulo each small prime. A modulus
    /// can be factored then.
    ///
    /// - Parameter modulus: The big-endian number, of 2048 bits or more.
    static func isFromROCA(_ modulus: Data) -> Bool {
        primes.allSatisfy { prime in
            let remainder = modulus.reduce(0) { ($0 << 8 | UInt32($1)) % prime }
            var power: UInt32 = 1
            repeat {
                if power == remainder { return true }
                power = power * 65_537 % prime
            } while power != 1
            return false
        }
    }

    /// The odd ones of the first 126, whose product the generator uses for 2048 bits.
    private static let primes = (UInt32(3)...701).filter { number in (2..<number).allSatisfy { number % $0 > 0 } }

    /// Whether a point of Ed25519 has an order of 8 or less. One signature fits many texts then: for the neutral element, all.
    ///
    /// - Parameter point: 32 bytes, as RFC 8032 encodes a point.
    static func hasSmallOrder(_ point: Data) -> Bool {
        // The highest bit is the sign of x, which changes no order.
        smallOrders.contains(Base64URL.encode(point.dropLast() + point.suffix(1).map { $0 & 0x7F }))
    }

    /// Every y of such a point, those of more than the prime of the field included, which BoringSSL takes.
    private static let smallOrders: Set = [
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "JuiVj8KyJ7BFw_SJ8u-Y8NXfrAXTxjM5sTgCiG1T_AU",
        "xxdqcD1N2E-6PAt2DRBnDyogU_osOczGTsf9d5KsA3o",
        "7P_______________________________________38",
        "7f_______________________________________38",
        "7v_______________________________________38",
    ]
}
