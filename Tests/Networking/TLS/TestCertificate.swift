import Crypto
import Foundation
import StrataTesting

/// A certificate made for one test, with its key: X.509 version 3 (RFC 5280), signed with ECDSA on P-256.
struct TestCertificate: Sendable {
    let der: [UInt8]
    let key: P256.Signing.PrivateKey
    private let name: String

    /// An authority that signed itself.
    static func authority(_ name: String) throws -> TestCertificate {
        let key = P256.Signing.PrivateKey()
        let constraints = DER.extension([0x55, 0x1D, 0x13], isCritical: true, DER.sequence(DER.true))
        return try TestCertificate(name, key, signedBy: (name, key), Self.lately...Self.later, constraints)
    }

    /// One of this authority, for a name and an address.
    func issue(
        host: String, address: [UInt8] = [127, 0, 0, 1], valid: ClosedRange<Date> = lately...later
    ) throws -> TestCertificate {
        let names = DER.sequence(DER.value(0x82, Array(host.utf8)) + DER.value(0x87, address))
        return try TestCertificate(
            host, P256.Signing.PrivateKey(), signedBy: (name, key), valid,
            DER.extension([0x55, 0x1D, 0x11], isCritical: false, names))
    }

    var pem: String {
        "-----BEGIN CERTIFICATE-----\n"
            + Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
            + "\n-----END CERTIFICATE-----\n"
    }

    /// The private key (PKCS #8).
    var keyPEM: String { key.pemRepresentation + "\n" }

    /// What a server shows.
    ///
    /// - Parameter authority: That of the certificates that it asks of clients.
    func identity(
        only version: LoopbackServer.Identity.Version? = nil, clientsOf authority: TestCertificate? = nil
    ) -> LoopbackServer.Identity {
        .init(
            certificate: der, key: Array(key.derRepresentation), only: version, clients: authority?.der)
    }

    static let day = 86_400.0
    static let lately = Date(timeIntervalSinceNow: -day)
    static let later = Date(timeIntervalSinceNow: 30 * day)

    private init(
        _ name: String, _ key: P256.Signing.PrivateKey, signedBy issuer: (name: String, key: P256.Signing.PrivateKey),
        _ valid: ClosedRange<Date>, _ extensions: [UInt8]
    ) throws {
        // ecdsa-with-SHA256 (RFC 5758, section 3.2)
        let algorithm = DER.sequence(DER.object([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02]))
        let content = DER.sequence(
            DER.value(0xA0, DER.value(0x02, [2])) + DER.value(0x02, [UInt8.random(in: 1...127)]) + algorithm
                + DER.name(issuer.name) + DER.sequence(DER.time(valid.lowerBound) + DER.time(valid.upperBound))
                + DER.name(name) + Array(key.publicKey.derRepresentation)
                + DER.value(0xA3, DER.sequence(extensions)))
        let signature = try issuer.key.signature(for: Data(content)).derRepresentation
        der = DER.sequence(content + algorithm + DER.value(0x03, [0] + Array(signature)))
        self.key = key
        self.name = name
    }
}

/// The Distinguished Encoding Rules (X.690), as far as a certificate needs them.
private enum DER {
    static let `true`: [UInt8] = [0x01, 0x01, 0xFF]

    static func value(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        let length: [UInt8] =
            count < 128
            ? [UInt8(count)] : count < 256 ? [0x81, UInt8(count)] : [0x82, UInt8(count >> 8), UInt8(count & 255)]
        return [tag] + length + content
    }

    static func sequence(_ content: [UInt8]) -> [UInt8] { value(0x30, content) }
    static func object(_ content: [UInt8]) -> [UInt8] { value(0x06, content) }

    /// A distinguished name of one common name.
    static func name(_ text: String) -> [UInt8] {
        sequence(value(0x31, sequence(object([0x55, 0x04, 0x03]) + value(0x0C, Array(text.utf8)))))
    }

    static func time(_ date: Date) -> [UInt8] {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "UTC")
        format.dateFormat = "yyMMddHHmmss'Z'"
        return value(0x17, Array(format.string(from: date).utf8))
    }

    static func `extension`(_ identifier: [UInt8], isCritical: Bool, _ content: [UInt8]) -> [UInt8] {
        sequence(object(identifier) + (isCritical ? `true` : []) + value(0x04, content))
    }
}
