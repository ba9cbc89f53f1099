import Crypto
import FoundationEssentials
public import StrataDomain
import StrataHTTP

extension HTTPAPIClient: IdentifiedClient {
    /// The base URL, and a digest of the account or the credential.
    ///
    /// An identity that an interceptor or the options of a call set is not in it.
    public func principal() async throws(NetworkError) -> String {
        let server = "\(baseURL.origin)\(baseURL.path)"
        let owners = try await owners()
        guard !owners.isEmpty else { return server }
        let names = owners.map { PercentEncoding.encode($0.reveal()) }.joined(separator: " ")
        return "\(server) \(SHA256.hash(data: Data(names.utf8)).hex)"
    }

    /// The account or the credential of the next call, and the credentials that each call has.
    private func owners() async throws(NetworkError) -> [Secret] {
        let context = CallContext(
            requestId: "", summary: "", deadline: Deadline(in: resilience.options.deadline, on: resilience.time))
        let identity: CallIdentity
        do { identity = try await auth.identity(for: context) } catch { throw NetworkError(error) }
        guard case .credential(let credential) = identity else { return options.credentials }
        return [CallContext.owner(of: credential.secret, account: credential.account)] + options.credentials
    }
}
