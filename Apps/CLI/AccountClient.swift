import FoundationEssentials
import StrataDomain
import StrataNetworking
import StrataOffline
import StrataTokens

/// Sends the entries of a database only in the name of the person whom the database belongs to.
///
/// `base` has tokens of `account` and no others, see `AccountTokenStore`.
struct AccountClient: APIClient {
    let base: any APIClient
    let account: SessionAccount?
    let database: OfflineDatabase
    /// The stored session.
    let profile: ProfileTokenStore

    func response<E: Endpoint>(
        to endpoint: E, options: CallOptions
    ) async throws(NetworkError) -> APIResponse<E.Response> {
        try await check()
        return try await base.response(to: endpoint, options: options)
    }

    func stream<E: Endpoint, Result: Sendable>(
        _ endpoint: E, options: CallOptions,
        receive:
            @escaping @Sendable (ResponseHead, any AsyncSequence<Data, any Error> & Sendable) async throws -> Result
    ) async throws(NetworkError) -> Result {
        try await check()
        return try await base.stream(endpoint, options: options, receive: receive)
    }

    private func check() async throws(NetworkError) {
        // Without an account there is no token: the call itself says so.
        guard let account else { return }
        do {
            guard account.isSamePerson(as: try await profile.session()?.account) else {
                throw Self.refusal("'\(account.username)' is not logged in any more; run 'shiftlog login'.")
            }
            guard try await database.account() == account.userId else {
                throw Self.refusal(
                    "The entries here were written by another person than '\(account.username)'; nothing was sent.")
            }
        } catch let error as NetworkError {
            throw error
        } catch let error as TokenStoreError {
            throw NetworkError(.storage(error.description))
        } catch {
            throw NetworkError(.storage("\(DomainError(error))"))
        }
    }

    private static func refusal(_ detail: String) -> NetworkError {
        NetworkError(.unauthorized(Problem(title: "Not logged in", status: 401, detail: detail)))
    }
}
