import FoundationEssentials
import NIOSSL
public import StrataNetworking

/// Certificate authorities that are trusted beside those of the system.
public struct CertificateAuthorities: Sendable, Hashable {
    let certificates: [NIOSSLCertificate]

    /// None but those of the system.
    public static let system = CertificateAuthorities(certificates: [])

    private init(certificates: [NIOSSLCertificate]) { self.certificates = certificates }

    /// - Parameter pem: One certificate or more in PEM form (RFC 7468); text between them is allowed.
    /// - Throws: `OptionsError` where there is none, or one that cannot be read.
    public init(pem: some Sequence<UInt8>) throws(OptionsError) {
        guard let found = try? NIOSSLCertificate.fromPEMBytes(Array(pem)), !found.isEmpty else {
            throw OptionsError(
                "it holds no certificate in PEM form that can be read; one begins with '-----BEGIN CERTIFICATE-----'.")
        }
        certificates = found
    }
}

extension TLSConfiguration {
    /// What every connection keeps to: TLS 1.2 or later (RFC 8996), a certificate that an authority vouches for and that
    /// names the host.
    static func strict(_ authorities: CertificateAuthorities) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.certificateVerification = .fullVerification
        if !authorities.certificates.isEmpty {
            configuration.additionalTrustRoots = [.certificates(authorities.certificates)]
        }
        return configuration
    }
}
