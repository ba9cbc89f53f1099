import FoundationEssentials
import StrataAsyncHTTP
import StrataDomain
import StrataNetworking
import StrataTesting
import StrataURLSession
import Testing

/// The production transport against real servers with certificates of an authority made for the test.
struct TLSTests {
    private let authority: TestCertificate
    private let trusting: CertificateAuthorities

    init() throws {
        authority = try TestCertificate.authority("Tide authority")
        trusting = try CertificateAuthorities(pem: authority.pem.utf8)
    }

    @Test(arguments: [
        (LoopbackServer.Identity.Version.tls10, false), (.tls11, false), (.tls12, true), (.tls13, true),
    ])
    func `TLS 1.2 and 1.3 are spoken, and nothing older`(version: LoopbackServer.Identity.Version, isSpoken: Bool)
        async throws
    {
        let outcome = try await outcome(authority.issue(host: "localhost"), trusting, version: version)
        print("TLS: a server of \(version) → \(outcome)")
        if isSpoken {
            #expect(outcome == "200")
        } else {
            #expect(outcome.contains("the server offers neither TLS 1.2 nor 1.3"), "\(outcome)")
        }
    }

    @Test(arguments: ["localhost", "127.0.0.1"])
    func `a further authority is trusted, and only where it was given`(host: String) async throws {
        let certificate = try authority.issue(host: "localhost")
        #expect(try await outcome(certificate, trusting, host: host) == "200")
        let other = try CertificateAuthorities(pem: TestCertificate.authority("Other").pem.utf8)
        for authorities in [.system, other] {
            let refused = try await outcome(certificate, authorities, host: host)
            #expect(refused.contains("not from an authority that is trusted here"), "\(refused)")
        }
    }

    @Test(arguments: [-9...(-2), 2...9])
    func `a certificate that is not valid today is refused, with the clock as a reason`(days: ClosedRange<Int>)
        async throws
    {
        func day(_ number: Int) -> Date { Date(timeIntervalSinceNow: Double(number) * TestCertificate.day) }
        let certificate = try authority.issue(host: "localhost", valid: day(days.lowerBound)...day(days.upperBound))
        let refused = try await outcome(certificate, trusting)
        #expect(refused.contains("not valid now") && refused.contains("the clock of this machine"), "\(refused)")
    }

    @Test func `a certificate of another host has an error of its own`() async throws {
        let certificate = try authority.issue(host: "tides.example", address: [10, 0, 0, 1])
        for host in ["localhost", "127.0.0.1"] {
            let refused = try await outcome(certificate, trusting, host: host)
            #expect(refused.contains("the certificate is for another host"), "\(refused)")
        }
    }

    @Test func `a body that ends without the end of TLS is a lost connection`() async throws {
        // Without a length, the end of TLS alone says that the body is complete.
        let server = try await LoopbackServer.start(
            .always(.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nok"), .cut),
            identity: authority.issue(host: "localhost").identity())
        let transport = AsyncHTTPTransport(try AsyncHTTPOptions(authorities: trusting))
        let client = try HTTPAPIClient(
            baseURL: HTTPURL("https://localhost:\(server.port)"), transport: transport,
            resilience: Resilience(ResilienceOptions(retry: .never)))
        let failure = await #expect(throws: NetworkError.self) {
            _ = try await client.collect(RawRequest(.get, "/"), upTo: 100, options: CallOptions(), events: { _ in })
        }
        await transport.shutdown()
        await server.stop()
        guard case .connectionLost("the server closed the connection without the end of TLS")? = failure?.kind else {
            Issue.record("\(String(describing: failure))")
            return
        }
    }

    @Test(arguments: ["", "no certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])
    func `a file without a certificate is refused with a sentence`(pem: String) {
        let error = #expect(throws: OptionsError.self) { try CertificateAuthorities(pem: pem.utf8) }
        #expect(error?.description.contains("no certificate in PEM form") == true)
    }

    @Test func `several authorities of one file are all trusted`() async throws {
        let second = try TestCertificate.authority("Second")
        let both = try CertificateAuthorities(pem: "# ours\n\(second.pem)\nand\n\(authority.pem)".utf8)
        for issuer in [authority, second] {
            #expect(try await outcome(issuer.issue(host: "localhost"), both) == "200")
        }
    }

    /// What the other transport does is the choice of this machine's libcurl and OpenSSL: it takes no authority here, and
    /// never ends with an answer.
    @Test(arguments: [LoopbackServer.Identity.Version.tls10, .tls11, .tls12, .tls13])
    func `the transport on URLSession trusts the authorities of the system alone`(
        version: LoopbackServer.Identity.Version
    ) async throws {
        let transport = URLSessionTransport()
        let outcome = try await outcome(authority.issue(host: "localhost"), of: transport, version: version)
        await transport.shutdown()
        print("TLS: URLSession and a server of \(version) → \(outcome)")
        #expect(outcome.contains("no secure connection"), "\(outcome)")
    }

    // MARK: - Asking

    private func outcome(
        _ certificate: TestCertificate, _ authorities: CertificateAuthorities, host: String = "localhost",
        version: LoopbackServer.Identity.Version? = nil
    ) async throws -> String {
        let transport = AsyncHTTPTransport(try AsyncHTTPOptions(authorities: authorities))
        let outcome = try await outcome(certificate, of: transport, host: host, version: version)
        await transport.shutdown()
        return outcome
    }

    /// The status of an answer, or the text of the failure; with a body at hand, and with one that is streamed.
    private func outcome(
        _ certificate: TestCertificate, of transport: any Transport, host: String = "localhost",
        version: LoopbackServer.Identity.Version? = nil
    ) async throws -> String {
        let server = try await LoopbackServer.start(
            .always(.response(fields: ["Connection: close"])), identity: certificate.identity(only: version))
        let client = try HTTPAPIClient(
            baseURL: HTTPURL("https://\(host):\(server.port)"), transport: transport,
            resilience: Resilience(ResilienceOptions(retry: .never)))
        let body = UploadBody.stream(length: 4, isReplayable: true) {
            AsyncThrowingStream { continuation in
                continuation.yield(Data("tide".utf8))
                continuation.finish()
            }
        }
        var outcomes: [String] = []
        for request in [RawRequest(.get, "/"), RawRequest(.put, "/", body: body)] {
            do throws(NetworkError) {
                let answer = try await client.collect(request, upTo: 100, options: CallOptions(), events: { _ in })
                outcomes.append(String(answer.head.status))
            } catch { outcomes.append(error.reason) }
        }
        await server.stop()
        #expect(outcomes[0] == outcomes[1])
        return outcomes[0]
    }
}
