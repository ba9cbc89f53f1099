import FoundationEssentials
import StrataAsyncHTTP
import StrataDomain
import StrataNetworking
import StrataSystem
import StrataTerminal

extension Settings {
    /// The transport of all connections; it also trusts the authorities of `caFile`.
    ///
    /// - Parameters:
    ///   - connectTimeout: At least a millisecond.
    ///   - connections: Maximum number to one origin.
    ///   - isProxy: Passes bodies on in any transfer coding, and keeps connections for less time than servers do.
    /// - Throws: `.storage` if the file cannot be read or contains no certificate.
    func transport(
        connectTimeout: Duration = .seconds(5), connections: Int = 16, isProxy: Bool = false
    ) throws(NetworkError) -> AsyncHTTPTransport {
        let authorities = try authorities()
        do {
            var options = try AsyncHTTPOptions(
                connectTimeout: max(.milliseconds(1), min(.seconds(5), connectTimeout)),
                connectionsPerOrigin: connections, authorities: authorities)
            options.passesTransferCodings = isProxy
            if isProxy { options.keepTime = .seconds(2) }
            return AsyncHTTPTransport(options)
        } catch {
            throw NetworkError(.invalidRequest(error.description))
        }
    }

    private func authorities() throws(NetworkError) -> CertificateAuthorities {
        guard let caFile else { return .system }
        let bytes: Data?
        do { bytes = try SmallFile(caFile, limit: 1 << 22).read() } catch {
            throw unusable(caFile, "\(error).")
        }
        guard let bytes else { throw unusable(caFile, "there is no such file.") }
        do { return try CertificateAuthorities(pem: bytes) } catch { throw unusable(caFile, error.description) }
    }

    private func unusable(_ path: String, _ reason: String) -> NetworkError {
        NetworkError(
            .storage(
                "The certificate authorities in '\(path)' cannot be used: \(reason) Correct \(program.variable("CA_FILE")), or leave it out."
            ))
    }
}
