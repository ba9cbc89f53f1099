import FoundationEssentials
import StrataAsyncHTTP
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// The certificate of the client: its files, and servers that ask for it.
@Suite(.timeLimit(.minutes(1))) struct ClientIdentityTests {
    private let directory: TemporaryDirectory
    private let authority: TestCertificate

    init() throws {
        directory = try TemporaryDirectory()
        authority = try TestCertificate.authority("Tide authority")
    }

    private func write(_ name: String, _ text: String) throws -> String { try directory.write(name, Data(text.utf8)) }

    private func identity(of certificate: TestCertificate) throws -> ClientIdentity {
        try .pem(certificates: write("client.pem", certificate.pem), key: write("client.key", certificate.keyPEM))
    }

    /// The status of an answer, or the text of the failure.
    private func outcome(_ identity: ClientIdentity?, version: LoopbackServer.Identity.Version) async throws -> String {
        let server = try await LoopbackServer.start(
            .always(.response()),
            identity: authority.issue(host: "localhost").identity(only: version, clientsOf: authority))
        let transport = AsyncHTTPTransport(
            try AsyncHTTPOptions(authorities: CertificateAuthorities(pem: authority.pem.utf8), identity: identity))
        let client = try HTTPAPIClient(
            baseURL: HTTPURL("https://localhost:\(server.port)"), transport: transport,
            resilience: Resilience(ResilienceOptions(retry: .never)))
        let outcome: String
        do throws(NetworkError) { outcome = String(try await client.raw(.get, "/").head.status) } catch {
            outcome = error.reason
        }
        await transport.shutdown()
        await server.stop()
        return outcome
    }

    @Test(arguments: [LoopbackServer.Identity.Version.tls12, .tls13])
    func `a server that asks for a certificate gets it`(version: LoopbackServer.Identity.Version) async throws {
        #expect(try await outcome(identity(of: authority.issue(host: "client")), version: version) == "200")
    }

    /// Over TLS 1.3 a server refuses after the handshake, when it may end the connection before its reason is read.
    @Test func `a missing or foreign certificate is a sentence`() async throws {
        let missing = try await outcome(nil, version: .tls12)
        #expect(missing.contains("a certificate of the client"), "\(missing)")
        let foreign = try TestCertificate.authority("Other").issue(host: "client")
        let refused = try await outcome(identity(of: foreign), version: .tls12)
        #expect(refused.contains("does not accept the certificate of the client"), "\(refused)")
    }

    @Test func `certificate and key may be in one file`() throws {
        let certificate = try authority.issue(host: "client")
        let path = try write("both.pem", certificate.keyPEM + certificate.pem + authority.pem)
        #expect(throws: Never.self) { try ClientIdentity.pem(certificates: path, key: path) }
    }

    // MARK: - Files that cannot be used

    private func refusal(_ certificates: String, _ key: String, _ passphrase: Secret? = nil) -> String {
        do throws(OptionsError) {
            _ = try ClientIdentity.pem(certificates: certificates, key: key, passphrase: passphrase)
            return "none"
        } catch { return error.description }
    }

    @Test func `a file that cannot be used is named, with the reason`() throws {
        let (mine, other) = (try authority.issue(host: "client"), try authority.issue(host: "other"))
        let (pem, key) = (try write("a.pem", mine.pem), try write("a.key", mine.keyPEM))
        let (otherKey, empty) = (try write("b.key", other.keyPEM), try write("empty", ""))
        let cut = try write("cut.key", String(mine.keyPEM.prefix(60)))
        for (certificates, given, named, reason) in [
            (directory.file("no.pem"), key, "no.pem", "there is no such file"),
            (pem, directory.file("no.key"), "no.key", "there is no such file"),
            (directory.path, key, directory.path, "Not a regular file"),
            (key, key, "a.key", "holds no certificate in PEM form"), (empty, key, "empty", "holds no certificate"),
            (pem, pem, "a.pem", "holds no private key in PEM form"), (pem, empty, "empty", "holds no private key"),
            (pem, cut, "cut.key", "cannot be read"),
            (pem, otherKey, "b.key", "does not belong to the first certificate"),
        ] {
            let text = refusal(certificates, given)
            #expect(text.contains("\(named)'") && text.contains(reason), "\(text)")
            #expect(text.contains("AsyncHTTPOptions"))
        }
        #expect(refusal(pem, key) == "none")
    }

    @Test func `an encrypted key needs its passphrase, which no text repeats`() throws {
        let (pem, key) = (try write("c.pem", Self.certificate), try write("c.key", Self.encryptedKey))
        #expect(refusal(pem, key).contains("c.key' cannot be used: it is encrypted; give its passphrase"))
        for wrong in ["hunter2", "", String(repeating: "hunter2", count: 200)] {
            let text = refusal(pem, key, Secret(wrong))
            #expect(
                text.contains("c.key' cannot be used: the passphrase is wrong") && !text.contains("hunter2"), "\(text)")
        }
        let foreign = refusal(pem, key, Secret("hunter2-\u{E9}"))
        #expect(foreign.contains("ASCII") && !foreign.contains("hunter2"))
        #expect(refusal(pem, key, Secret("tide")) == "none")
    }

    /// Made for this test with OpenSSL: AES-256-CBC, the passphrase is "tide". Assembled here, because it is no secret.
    private static let encryptedKey = pem(
        "ENCRYPTED PRIVATE KEY",
        """
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgdMhHbrGcHEwICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEG4tjiHjuPk/fZhpGrlXrIMEgZBJ
        7SxJkW5SwIRrtvEgLiamO/qWsNRVjv1LuflDnq181lcr6z0WeWUpSS2F+gn62JTX
        ViaoJ7Sd2ZMr06LAzbkzBkpo2FnlibcyL3UtKmXoeSGOsNy61cg1skffVo/tI9xF
        J/LxPcRk4UsvyzK6Kdj0WcWynldUB+qO9FQKOGlUUDXGZntUPccKgCbYFxW3meY=
        """)

    private static let certificate = pem(
        "CERTIFICATE",
        """
        MIIBeDCCAR+gAwIBAgIURJAo9vbB5HUPYuSgBafpMJNU0S8wCgYIKoZIzj0EAwIw
        ETEPMA0GA1UEAwwGY2xpZW50MCAXDTI2MTEyNjA3MzgyMFoYDzIwODEwODI5MDcz
        ODIwWjARMQ8wDQYDVQQDDAZjbGllbnQwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC
        AAS366UMf+cwcRvGhIStaWdH2/QyLljtXu1iFNRiRh/3F+dUzfK+p+JcosILLjGs
        QMac3kcwR8NrBdi6l5ChIGbPo1MwUTAdBgNVHQ4EFgQUi5B6LB+LugjBSZYw6d6r
        hFq7OuAwHwYDVR0jBBgwFoAUi5B6LB+LugjBSZYw6d6rhFq7OuAwDwYDVR0TAQH/
        BAUwAwEB/zAKBggqhkjOPQQDAgNHADBEAiBEiq5Tv5xrGf/rXYiWxgOGrRH96wLt
        3BI1iRAnVwTyPAIgf2U85D9KN/B6CtJFjmteUIYP1Q42wZ9+9ylzs2jkKYk=
        """)

    private static func pem(_ label: String, _ base64: String) -> String {
        "-----BEGIN \(label)-----\n\(base64)\n-----END \(label)-----\n"
    }
}
