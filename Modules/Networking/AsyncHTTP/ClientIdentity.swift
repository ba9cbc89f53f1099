import FoundationEssentials
import NIOSSL
public import StrataDomain
public import StrataNetworking
import StrataSystem

/// The certificate of this client with its private key, for servers that ask for one (mutual TLS).
public struct ClientIdentity: Sendable, Hashable {
    /// That of the client first.
    let certificates: [NIOSSLCertificate]
    let key: NIOSSLPrivateKey

    /// Reads both files at once, each of at most 4 MiB; they may be one file.
    ///
    /// - Parameters:
    ///   - certificates: The path of a file in PEM form (RFC 7468): the certificate of the client, then those of the authorities
    ///     in between, if there are any.
    ///   - key: The path of its private key in PEM form.
    ///   - passphrase: Opens an encrypted key; of ASCII characters. A key that is not encrypted needs none.
    /// - Throws: A sentence with the path: for a file that cannot be read or holds no certificate or key, a missing or wrong
    ///   passphrase, or a key of another certificate.
    public static func pem(
        certificates: String, key: String, passphrase: Secret? = nil
    ) throws(OptionsError) -> ClientIdentity {
        let chain = [UInt8](try read(certificates))
        guard let found = try? NIOSSLCertificate.fromPEMBytes(chain), !found.isEmpty else {
            throw refusal(
                certificates, "it holds no certificate in PEM form; one begins with '-----BEGIN CERTIFICATE-----'")
        }
        let identity = ClientIdentity(
            certificates: found, key: try privateKey([UInt8](try read(key)), of: key, passphrase))
        guard identity.isPair else {
            throw refusal(
                key,
                "it does not belong to the first certificate in '\(certificates)', which must be that of the client")
        }
        return identity
    }

    private static func read(_ path: String) throws(OptionsError) -> Data {
        let bytes: Data?
        do { bytes = try SmallFile(path, limit: 1 << 22).read() } catch { throw refusal(path, "\(error)") }
        guard let bytes else { throw refusal(path, "there is no such file") }
        return bytes
    }

    private static func privateKey(
        _ bytes: [UInt8], of path: String, _ passphrase: Secret?
    ) throws(OptionsError) -> NIOSSLPrivateKey {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.contains("PRIVATE KEY-----") else {
            throw refusal(path, "it holds no private key in PEM form; one begins with '-----BEGIN PRIVATE KEY-----'")
        }
        guard text.contains("BEGIN ENCRYPTED PRIVATE KEY") || text.contains("Proc-Type: 4,ENCRYPTED") else {
            do { return try NIOSSLPrivateKey(bytes: bytes, format: .pem) } catch {
                throw refusal(path, "its private key cannot be read")
            }
        }
        guard let passphrase = passphrase?.reveal() else {
            throw refusal(path, "it is encrypted; give its passphrase")
        }
        // NIOSSL traps at a byte above 127.
        guard passphrase.utf8.allSatisfy({ $0 < 128 }) else {
            throw refusal(path, "its passphrase must have ASCII characters only; encrypt it with another one")
        }
        do {
            return try NIOSSLPrivateKey(bytes: bytes, format: .pem) { setter in setter(Array(passphrase.utf8)) }
        } catch { throw refusal(path, "the passphrase is wrong, or the key is damaged") }
    }

    /// Whether the key is that of the first certificate.
    private var isPair: Bool {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates([])
        present(in: &configuration)
        return (try? NIOSSLContext(configuration: configuration)) != nil
    }

    /// Shows the certificate to servers that ask for one.
    func present(in configuration: inout TLSConfiguration) {
        configuration.certificateChain = certificates.map { .certificate($0) }
        configuration.privateKey = .privateKey(key)
    }

    private static func refusal(_ path: String, _ why: String) -> OptionsError {
        OptionsError(
            "The client certificate in '\(path)' cannot be used: \(why). Correct 'identity' of AsyncHTTPOptions.")
    }
}
