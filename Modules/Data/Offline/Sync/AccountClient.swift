public import FoundationEssentials
public import StrataDomain

/// Sends the rows of a database only as the user whom the database belongs to.
public struct AccountClient: APIClient {
    private let base: any APIClient
    private let account: SessionAccount?
    private let database: OfflineDatabase
    private let storedAccount: @Sendable () async throws(TokenStoreError) -> SessionAccount?

    /// - Parameters:
    ///   - base: Has the tokens of `account` and no others.
    ///   - account: The account at the start of this process; `nil` without a login, then `base` refuses by itself.
    ///   - storedAccount: The account that is logged in now; another process may have logged out or in.
    public init(
        base: any APIClient, account: SessionAccount?, database: OfflineDatabase,
        storedAccount: @escaping @Sendable () async throws(TokenStoreError) -> SessionAccount?
    ) {
        self.base = base
        self.account = account
        self.database = database
        self.storedAccount = storedAccount
    }

    /// - Throws: `.unauthorized` when another account is logged in or owns the database; then nothing was sent.
    public func response<E: Endpoint>(
        to endpoint: E, options: CallOptions
    ) async throws(NetworkError) -> APIResponse<E.Response> {
        try await checkAccount()
        return try await base.response(to: endpoint, options: options)
    }

    /// - Throws: `.unauthorized` when another account is logged in or owns the database; then nothing was sent.
    public func stream<E: Endpoint, Result: Sendable>(
        _ endpoint: E, options: CallOptions,
        receive:
            @escaping @Sendable (ResponseHead, any AsyncSequence<Data, any Error> & Sendable) async throws -> Result
    ) async throws(NetworkError) -> Result {
        try await checkAccount()
        return try await base.stream(endpoint, options: options, receive: receive)
    }

    private func checkAccount() async throws(NetworkError) {
        guard let account else { return }
        do {
            guard account.isSamePerson(as: try await storedAccount()) else {
                throw Self.refusal("'\(account.username)' is not logged in any more; log in again.")
            }
            guard try await database.account() == account.userId else {
                throw Self.refusal(
                    "The entries here were written by another user than '\(account.username)'; nothing was sent.")
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
